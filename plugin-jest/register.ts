import { expect } from "@jest/globals";
import * as builtin from "../matchers/builtin.ts";
import { followed } from "./circus.ts";
import { toMatchBaseline } from "./to-match-baseline.ts";

/** Adds the matchers to the runner's `expect`; once more changes nothing. */
export function register(): void {
  followed();
  expect.extend({ ...builtin, toMatchBaseline } as never);
}
