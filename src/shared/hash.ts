import { hash } from "node:crypto";

/** SHA-256 of a text as lower-case hex; `length` cuts it (64 digits by default). */
export function sha256(text: string, length = 64): string {
  return hash("sha256", text, "hex").slice(0, length);
}
