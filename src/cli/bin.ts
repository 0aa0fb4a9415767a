#!/usr/bin/env node
import process from "node:process";
import { main } from "./main.ts";

// A reader that has enough (`| head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const code = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
process.exitCode = code;
// What an agent left behind, such as a timer, must not keep the process; what was said must be out before it ends.
process.stdout.write("", () => {
  process.stderr.write("", () => {
    process.exit(code);
  });
});
