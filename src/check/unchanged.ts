import { brief, kept } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { named, pathOf, trialOf } from "./place.ts";
import { equal, touches } from "./pointer-path.ts";

export const unchanged: CheckKind = {
  type: "unchanged",
  summary:
    "The value at the path is at the end what it was at the start, or is missing at both times.",
  on: "trial",
  fields: { path: "pointer" },
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const path = pathOf(check);
    const where = named(path, "the state");
    const touching = trial.mutations.filter((one) => touches(one, path));
    const evidence = touching.map((one) => one.evidence);
    // What no mutation touches is not read: a state may be large.
    if (touching.length === 0) {
      return { passed: true, message: `no mutation touches ${where}`, evidence };
    }
    const [before, after] = [trial.initial(path), trial.state(path)];
    const [expected, actual] = [kept(before), kept(after)];
    const passed = equal(before, after);
    return {
      passed,
      message: passed
        ? `${where} is ${brief(after)} again, as at the start`
        : `${where} was ${brief(before)} at the start, and is ${brief(after)} now`,
      evidence,
      ...(actual === undefined ? {} : { actual }),
      ...(expected === undefined ? {} : { expected }),
    };
  },
};
