import type { TwiceshyMatchers } from "../matchers/typed.ts";

/** The matchers of the package with the one that needs Vitest's snapshots. */
export interface VitestMatchers<R> extends TwiceshyMatchers<R> {
  /**
   * Passes when the baseline allows the verdict; the runner's `-u` accepts what is there now.
   * Takes the result of replaying a repro of a repros file; has no `.not`.
   */
  toMatchBaseline(): R;
}

// Vitest 4 and 5 give `Matchers` other type parameters; both build their `Assertion` on Chai's.
declare global {
  namespace Chai {
    interface Assertion extends VitestMatchers<void> {}
  }
}

declare module "vitest" {
  // An asymmetric matcher stands for a value of any type.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface AsymmetricMatchersContaining extends VitestMatchers<any> {}
}
