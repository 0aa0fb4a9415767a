import type { TraceError } from "../trace/trace.ts";
import { clip } from "../shared/text.ts";
import type { Detector, Finding } from "./detector.ts";
import { describe } from "./soft-error.ts";

/** The agent itself crashed. */
export const exception: Detector = {
  kind: "exception",
  detector: "rule",
  summary: "The agent threw an error and did not catch it.",
  detect({ trace }) {
    if (trace.status === "timeout") return [];
    const findings = trace.steps.flatMap((step, at): Finding[] =>
      step.kind === "error" && !isTimeout(step.error) ? [findingOf(step.error, at)] : [],
    );
    if (findings.length > 0 || trace.status !== "error") return findings;
    return [
      {
        severity: "high",
        subject: "-",
        message: "The run ended with an error that was not recorded.",
      },
    ];
  },
};

function findingOf(error: TraceError, step: number): Finding {
  return { severity: "high", step, subject: classOf(error), message: clip(describe(error), 500) };
}

/** A time limit is its own kind, also where an importer had only the text of it. */
function isTimeout(error: TraceError): boolean {
  return error.name === undefined && /^timeout\b/iu.test(error.message);
}

/** The class of an error: its name, or the prefix of its message as in `KeyError: 'amount'`. */
function classOf({ name, message }: TraceError): string {
  const prefix = /^([A-Za-z_$][\w.$]{0,79}):/u.exec(message)?.[1];
  if (name === undefined || name === "" || name === "Error")
    return prefix ?? (name === "Error" ? name : "-");
  return /^[A-Za-z_$][\w.$]{0,79}$/u.test(name) ? name : "-";
}
