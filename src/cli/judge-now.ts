import type { Config } from "../config/config.ts";
import { detectStored } from "../generate/detect-stored.ts";
import { judgeStored, type Judged } from "../generate/judge-stored.ts";
import type { Io } from "./io.ts";
import { openJudge, type OpenJudge } from "./open-judge.ts";
import { progress } from "./progress.ts";

/** The configured judge, opened before anything else is done, so that one that cannot be used is said at once. */
export async function configuredJudge(config: Config, io: Io): Promise<OpenJudge | undefined> {
  return config.judge === undefined ? undefined : openJudge(config, config.judge, io);
}

/** Asks a judge about the traces of the store, and lets it go; nothing where there is none. */
export async function judgedBy(
  judge: OpenJudge | undefined,
  config: Config,
  io: Io,
): Promise<Judged | undefined> {
  if (judge === undefined) return undefined;
  const shown = progress(io, "judging trace");
  try {
    // What the detectors find in traces that nobody looked at yet comes first.
    detectStored(config);
    return await judgeStored(config, judge, shown.tick);
  } finally {
    shown.done();
    await judge.close();
  }
}
