import { isObject } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { RunningTest } from "./trial-context.ts";

/** Says of a green test that it did not judge everything: for the reporter, and as the runner's own annotation. */
export async function note({ meta, context }: RunningTest, text: string): Promise<void> {
  Reflect.set(meta, "twiceshyNote", oneLine(text, 300));
  await context.annotate(text, "warning");
}

/** Reads it back; another process may have written it. */
export function noteIn(meta: unknown): string | undefined {
  const kept = isObject(meta) ? meta["twiceshyNote"] : undefined;
  return typeof kept === "string" ? oneLine(kept, 300) : undefined;
}
