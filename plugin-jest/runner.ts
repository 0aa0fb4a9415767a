import { fromJest } from "./from-jest.ts";
import { keptIn, type Kept } from "./kept.ts";
import type { TestResult } from "./results.ts";

/** What Jest calls for each test file. */
type Circus = (
  ...given: readonly [
    globalConfig: unknown,
    config: unknown,
    environment: { readonly global: object },
    ...more: readonly unknown[],
  ]
) => Promise<TestResult>;

/** A file's result as our reporter finds it. */
export interface KeptResult {
  readonly twiceshy?: Kept;
}

/** Jest's own circus; what the tests of a file leave for the reporter goes with their result. */
export default async function run(...given: Parameters<Circus>): Promise<TestResult & KeptResult> {
  const circus = fromJest("jest-circus/runner") as Circus & { readonly default?: Circus };
  const result = await (circus.default ?? circus)(...given);
  const kept = keptIn(given[2].global);
  return kept === undefined ? result : { ...result, twiceshy: kept };
}
