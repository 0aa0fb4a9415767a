/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { failure } from "../src/shared/error.ts";
import { oneLine } from "../src/shared/text.ts";
import type { Trial } from "../src/workflow/trial-result.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { message, some } from "./message.ts";
import { unreachedFaults } from "./trial-message.ts";
import { refuseUnknownTool } from "./trials.ts";

const MATCHER = "toHaveRecoveredFrom";

/** A call of the tool. */
interface Attempt {
  readonly name: string;
  readonly worked: boolean;
  readonly failed: boolean;
}

/**
 * Passes when a call of the tool failed and a later one of it worked. In a trial a call that a fault hit has failed, also when the
 * agent was told no error. Ending honestly without success is no recovery: use toReportCommittedState() for that.
 * @throws E_RECOVERY_NOTHING when no call of the tool failed, also for `.not`: there was nothing to recover from
 */
export function toHaveRecoveredFrom(
  this: MatcherThis,
  received: unknown,
  tool: string,
): MatcherOutcome {
  const { trace, trial } = examine(received, MATCHER);
  if (trial !== undefined) refuseUnknownTool(trial, tool, MATCHER);
  const attempts =
    trial === undefined
      ? trace.steps.flatMap((step) =>
          step.kind === "tool" && step.name === tool
            ? [attempt(`step ${step.index}`, step.result?.ok, false)]
            : [],
        )
      : attemptsIn(trial, tool);
  const first = attempts.findIndex(({ failed }) => failed);
  if (first < 0) throw nothing(tool, trial);
  const { isNot } = this;
  return {
    pass: attempts.slice(first + 1).some(({ worked }) => worked),
    message: () =>
      message({
        trial,
        call: `${isNot ? "not." : ""}${MATCHER}(${JSON.stringify(tool)})`,
        expected: `${isNot ? "no " : "a "}call of ${tool} that works after one that failed`,
        received: attempts
          .map(({ name, worked }) => `${name} ${worked ? "worked" : "failed"}`)
          .join(", "),
        evidence: some(
          attempts.map(({ name, worked }) => `${name}: ${worked ? "worked" : "failed"}`),
        ),
      }),
  };
}

function attemptsIn({ events }: Trial, tool: string): readonly Attempt[] {
  const hit = new Set<string | undefined>();
  const results = new Map<string, boolean>();
  for (const event of events) {
    if (event.kind === "fault" || event.kind === "hidden") hit.add(event.callId);
    if (event.kind === "result") results.set(event.callId, event.result.ok);
  }
  return events.flatMap((event) =>
    event.kind === "call" && event.tool === tool
      ? [attempt(event.callId, results.get(event.callId), hit.has(event.callId))]
      : [],
  );
}

/** Told nothing is neither: it is not known what became of such a call. */
function attempt(name: string, ok: boolean | undefined, hit: boolean): Attempt {
  return { name, worked: ok === true && !hit, failed: ok === false || hit };
}

function nothing(tool: string, trial: Trial | undefined): Error {
  const missed = trial === undefined ? undefined : unreachedFaults(trial);
  return failure("E_RECOVERY_NOTHING", {
    to: `use ${MATCHER}(${JSON.stringify(oneLine(tool, 60))})`,
    because: `no call of it failed, so there was nothing to recover from${missed === undefined ? "" : ` (${missed})`}`,
    fix: "Give the trial a fault that this tool meets, or leave the matcher out",
  });
}
