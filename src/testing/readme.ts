import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./imports.ts";

/** A fenced block of a Markdown file. */
export interface Block {
  readonly language: string;
  /** What stands behind the language, as `file=src/agent.ts`. */
  readonly about: Readonly<Record<string, string>>;
  readonly text: string;
}

const FENCE = /^```(?<language>\w*)(?<about>[^\n]*)\n(?<text>[\s\S]*?)^```$/gm;

export function blocksOf(file: string): Block[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  return [...text.matchAll(FENCE)].map((match) => {
    const { language = "", about = "", text: body = "" } = match.groups ?? {};
    const pairs = about.trim().split(/\s+/).filter(Boolean);
    return {
      language,
      about: Object.fromEntries(pairs.map((pair) => pair.split("=") as [string, string])),
      text: body,
    };
  });
}
