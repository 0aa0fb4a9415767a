import { quickTest } from "../shared/needles.ts";
import type { CallError } from "./soft-error.ts";

/** "There is none", in the words that services and languages use for it. */
const NONE =
  /\b404\b|\bnot[ _-]?found\b|\bno such\b|\bdoes ?n[o'’]t exist\b|\bKeyError\b|\bENOENT\b|\bMISSING\b/iu;

const isNone = quickTest(NONE);

/** Whether an error is an answer in itself: what was asked for is not there, and asking again would not change that. */
export function isAbsence({ message }: CallError): boolean {
  return isNone(message);
}
