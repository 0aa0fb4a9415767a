import type { TwiceshyMatchers } from "../matchers/typed.ts";

/** The matchers of the package with the one that needs Jest's snapshots. */
export interface JestMatchers<R> extends TwiceshyMatchers<R> {
  /**
   * Passes when the baseline allows the verdict; the runner's `-u` accepts what is there now.
   * Takes the result of replaying a repro of a repros file; has no `.not`.
   */
  toMatchBaseline(): R;
}

declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends JestMatchers<R> {}
  // An asymmetric matcher stands for a value of any type.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface AsymmetricMatchers extends JestMatchers<any> {}
}

// For those who use the global `expect` with the types of "@types/jest".
declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends JestMatchers<R> {}
  }
}
