import type { Config } from "../config/config.ts";
import { ingest, type Ingested } from "../generate/ingest.ts";
import {
  inputStamps,
  rememberProcessed,
  type Processed,
  type ProcessInput,
} from "../generate/process.ts";
import { processStored } from "../generate/stored.ts";
import type { Args } from "./args.ts";
import { readPaths } from "./ingest.ts";
import type { Io } from "./io.ts";
import { configuredJudge, judgedBy } from "./judge-now.ts";
import { progress } from "./progress.ts";

/** Reads the files, finds the failures of what is new on the way, and generates from the store. */
export async function processAll(
  config: Config,
  input: ProcessInput,
  { args, io }: { readonly args: Args; readonly io: Io },
): Promise<Processed> {
  const judge = await configuredJudge(config, io);
  const seen = inputStamps(input);
  const read: Ingested[] = [];
  if (input.paths.length > 0) read.push(readPaths(config, args, { io, look: true }));
  if (input.own.length > 0)
    read.push(ingest(config, input.own, { redact: config.redact, look: true }));
  const judged = await judgedBy(judge, config, io);
  const shown = progress(io, "looking at trace");
  const { damaged, result } = processStored(config, { onTrace: shown.tick });
  shown.done();
  const processed = { read, damaged, ...(judged === undefined ? {} : { judged }), result };
  rememberProcessed(config, { ...input, seen }, processed);
  return processed;
}
