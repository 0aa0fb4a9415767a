import { createHash } from "node:crypto";

/** SHA-256 of a text as lower-case hex; `length` cuts it (64 digits by default). */
export function sha256(text: string, length = 64): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, length);
}
