import { z } from "zod";
import { VERDICTS } from "../check/verdict.ts";

/** Version of the baseline file; a reader refuses any other. */
export const BASELINE_VERSION = 1;

/** One accepted verdict. */
export const baselineEntrySchema = z.strictObject({
  verdict: z.enum(VERDICTS),
  /** Content hash of the repro that was judged. */
  hash: z.string(),
  /** Real signatures of an accepted failure, sorted. */
  signatures: z.array(z.string()).optional(),
  /** A person's words; kept while the entry stays the same. */
  note: z.string().optional(),
});

/** Accepted verdicts by repro id, sorted; updated with the runner's `-u`. */
export const baselineFileSchema = z.strictObject({
  formatVersion: z.literal(BASELINE_VERSION),
  agent: z.string(),
  entries: z.record(z.string(), baselineEntrySchema),
});

export type BaselineEntry = z.infer<typeof baselineEntrySchema>;
export type BaselineFile = z.infer<typeof baselineFileSchema>;
