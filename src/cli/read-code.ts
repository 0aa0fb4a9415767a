import type { Ingested } from "../generate/ingest.ts";
import { EXIT } from "./command.ts";

/** 2 when nothing could be read at all, 3 when something could not and the user asked to hear of it. */
export function readCode(
  { broken, traces, repros }: Pick<Ingested, "broken" | "traces" | "repros">,
  strict: boolean,
): number {
  if (broken.length === 0) return EXIT.passed;
  if (traces + repros === 0) return EXIT.invalid;
  return strict ? EXIT.incomplete : EXIT.passed;
}
