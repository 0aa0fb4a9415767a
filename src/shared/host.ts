import { runInThisContext } from "node:vm";

/**
 * The global object of the thread itself. In a realm of its own, as Jest and Vitest's vm pools make for each file, `globalThis` is
 * another one, and `process` may be a copy: what Node itself does shows here alone.
 */
export function hostGlobal(): typeof globalThis {
  return runInThisContext("globalThis") as typeof globalThis;
}
