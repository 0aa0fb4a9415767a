import { expect } from "vitest";
import * as builtin from "../matchers/builtin.ts";
import { toMatchBaseline } from "./to-match-baseline.ts";

/** Adds the matchers to the runner's `expect`; once more changes nothing. */
export function register(): void {
  expect.extend({ ...builtin, toMatchBaseline });
}
