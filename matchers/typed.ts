import type * as builtin from "./builtin.ts";

type Builtin = typeof builtin;

/** The matchers as a test sees them: without `received`, returning what the runner's `expect` returns. */
export type TwiceshyMatchers<R> = {
  [Name in keyof Builtin]: Builtin[Name] extends (received: never, ...args: infer Args) => unknown
    ? (...args: Args) => R
    : never;
};
