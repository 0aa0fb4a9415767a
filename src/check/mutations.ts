import { oneLine } from "../shared/text.ts";
import type { Check, CheckKind, CheckProblem, SeenMutation } from "./check.ts";
import { textOf } from "./evidence.ts";
import { named, pathOf, trialOf } from "./place.ts";
import { touches } from "./pointer-path.ts";
import { warningOf } from "./tools.ts";

export const mutations: CheckKind = {
  type: "mutations",
  summary:
    "The agent's calls committed so many mutations, of a tool or at a path where one is given; another client's do not count.",
  on: "trial",
  fields: { tool: "string", path: "pointer", expected: "number", min: "number", max: "number" },
  optional: ["tool", "path", "expected", "min", "max"],
  problems,
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const tool = check["tool"] === undefined ? undefined : textOf(check["tool"]);
    const path = check["path"] === undefined ? undefined : pathOf(check);
    const found = mutationsOf(trial.mutations, { tool, path });
    const { least, most, words } = boundsOf(check);
    const passed = found.length >= least && found.length <= most;
    const message = `${found.length} ${found.length === 1 ? "mutation was" : "mutations were"} committed${about({ tool, path })}`;
    return {
      passed,
      message: passed ? message : `${message}, and ${words} expected`,
      evidence: found.map((one) => one.evidence),
      ...warningOf(tool === undefined ? [] : [tool], trial),
      actual: found.length,
      expected: found.length < least ? least : most === Infinity ? least : most,
    };
  },
};

/** Which mutations are meant; all of the agent's when nothing is given. */
export interface MutationFilter {
  readonly tool?: string | undefined;
  readonly path?: string | undefined;
}

/** The mutations of the agent's calls, of a tool and at a path. */
export function mutationsOf<M extends Pick<SeenMutation, "by" | "tool" | "changes">>(
  all: readonly M[],
  { tool, path }: MutationFilter,
): readonly M[] {
  return all.filter(
    (one) =>
      one.by === "agent" &&
      (tool === undefined || one.tool === tool) &&
      (path === undefined || touches(one, path)),
  );
}

/** " by reserve_slot at /bookings", or nothing. */
export function about({ tool, path }: MutationFilter): string {
  const by = tool === undefined ? "" : ` by ${oneLine(tool, 60)}`;
  return `${by}${path === undefined ? "" : ` at ${named(path, "the state")}`}`;
}

function boundsOf(check: Check): {
  readonly least: number;
  readonly most: number;
  readonly words: string;
} {
  const { expected, min, max } = check;
  if (expected !== undefined) {
    const exact = Number(expected);
    return { least: exact, most: exact, words: `exactly ${exact} ${exact === 1 ? "is" : "are"}` };
  }
  const [least, most] = [Number(min ?? 0), Number(max ?? Infinity)];
  const words =
    max === undefined
      ? `at least ${least} are`
      : min === undefined
        ? `at most ${most} are`
        : `${least} to ${most} are`;
  return { least, most, words };
}

function problems({ expected, min, max }: Check): readonly CheckProblem[] {
  if (expected !== undefined && (min !== undefined || max !== undefined)) {
    return [{ field: "expected", message: "stands beside min or max; keep one of the two" }];
  }
  if (expected === undefined && max === undefined && (min === undefined || min === 0)) {
    return [{ field: "expected", message: "asserts nothing: give expected, min or max" }];
  }
  if (min !== undefined && max !== undefined && Number(min) > Number(max)) {
    return [{ field: "min", message: "is more than max, so nothing could pass; exchange them" }];
  }
  return [];
}
