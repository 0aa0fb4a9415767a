import { test as base } from "@jest/globals";
import type { InlineReplay } from "../src/plugin/inline.ts";
import { replayInline } from "../src/plugin/open-repros.ts";
import type { RunningTest, TrialContext } from "../src/plugin/trial-context.ts";
import { noteIn } from "../src/plugin/trial-note.ts";
import type { ReplayResult } from "../src/runtime.ts";
import { pathOf, timeoutOf } from "./circus.ts";
import { currentPath, currentTest } from "./current.ts";
import { settingsFor } from "./handover.ts";
import { keep } from "./kept.ts";

/** What a test of ours is given. */
export interface TwiceshyContext extends TrialContext {
  /** Runs an agent on the answers given here: a mock as an ordinary test. */
  readonly replay: (inline: InlineReplay) => Promise<ReplayResult>;
}

/** A test, its name and its time in ms; the body is given the context in place of Jest's `done`. */
type Define = (
  name: string,
  body: (context: TwiceshyContext) => void | Promise<void>,
  timeout?: number,
) => void;

/** Jest's `test` whose body is given `replay`, `runTrial`, `explore` and `perturb`. What is made of tables is Jest's own. */
export interface TwiceshyTest extends Define {
  readonly only: Define & Pick<typeof base.only, "each">;
  readonly skip: Define & Pick<typeof base.skip, "each">;
  readonly failing: Define;
  readonly concurrent: Define & { readonly only: Define; readonly skip: Define } & Pick<
      typeof base.concurrent,
      "each"
    >;
  readonly each: typeof base.each;
  readonly todo: typeof base.todo;
}

/** Jest's `test` with our context. */
export const test: TwiceshyTest = Object.assign(given(base), {
  only: Object.assign(given(base.only), { each: base.only.each }),
  skip: Object.assign(given(base.skip), { each: base.skip.each }),
  failing: given(base.failing),
  concurrent: Object.assign(given(base.concurrent), {
    only: given(base.concurrent.only),
    skip: given(base.concurrent.skip),
    each: base.concurrent.each,
  }),
  each: base.each,
  todo: base.todo,
});

type Plain = (name: string, body: () => Promise<void>, timeout?: number) => void;

function given(define: unknown): Define {
  return (name, body, timeout) => {
    // A body that is missing, or no function, is Jest's matter.
    const run = typeof body === "function" ? async () => body(context()) : body;
    (define as Plain)(name, run, timeout);
  };
}

function context(): TwiceshyContext {
  const path = currentPath();
  const settings = settingsFor(path);
  const running = runningIn(path);
  return {
    replay: (inline) => replayInline(inline, settings),
    // What runs fault trials is loaded for tests that ask for it: specs that only replay never pay for it.
    async runTrial(options) {
      const { trialAfterControl } = await import("../src/plugin/trial-runs.ts");
      return trialAfterControl(running, settings, options as never) as never;
    },
    async explore(options, property) {
      const { exploreIn } = await import("../src/plugin/trial-runs.ts");
      const asked = { options: options as never, property: property as never };
      return exploreIn(running, settings, asked);
    },
    async perturb(recorded, agent, ...[property, options]) {
      const { perturbIn } = await import("../src/plugin/trial-runs.ts");
      return perturbIn(running, settings, { recorded, agent, property, options });
    },
  };
}

function runningIn(filepath: string): RunningTest {
  const test = currentTest();
  const meta = {};
  return {
    fullTestName: test === undefined ? "" : pathOf(test).join(" > "),
    timeout: timeoutOf(test),
    file: { filepath },
    meta,
    context: {
      async annotate() {
        const note = noteIn(meta);
        if (test !== undefined && note !== undefined) keep(test, { note });
      },
    },
  };
}
