import { problems } from "../check/problems.ts";
import { oneLine } from "../shared/text.ts";
import { isFunctionCheck } from "./judge-checks.ts";
import type { WorkflowCheck } from "./workflow.ts";

/** What is wrong with a list of checks, each with the place of the check before it. */
export function checkListProblems(
  at: string,
  checks: readonly WorkflowCheck[] | undefined,
): string[] {
  if (checks === undefined) return [];
  if (!Array.isArray(checks)) return [`${at}: is no list; give a list of checks`];
  const first = new Map<unknown, number>();
  return checks.flatMap((check: unknown, i) => {
    const place = `${at}[${i}]`;
    if (typeof check !== "object" || check === null)
      return [`${place}: is no check; give { id, type, ... } or { id, test }`];
    const { id } = check as WorkflowCheck;
    const before = first.get(id);
    if (before === undefined) first.set(id, i);
    const twice =
      before === undefined || typeof id !== "string"
        ? []
        : [
            `${place}.id: "${oneLine(id, 60)}" is the id of ${at}[${before}], too; give each its own`,
          ];
    return [...twice, ...nameProblems(place, check), ...bodyProblems(place, check)];
  });
}

function nameProblems(place: string, check: object): string[] {
  const { id, label } = check as { readonly id?: unknown; readonly label?: unknown };
  const found: string[] = [];
  if (typeof id !== "string" || id.trim() === "" || id.length > 200)
    found.push(`${place}.id: is missing; name the check, for its evidence and for comparisons`);
  if (label !== undefined && typeof label !== "string")
    found.push(`${place}.label: is no text; leave it out, or give one`);
  return found;
}

function bodyProblems(place: string, check: object): string[] {
  if (isFunctionCheck(check as WorkflowCheck)) {
    const more = Object.keys(check).filter((key) => !["id", "label", "test"].includes(key));
    return more.map(
      (key) => `${place}.${oneLine(key, 60)}: is unknown beside a function; it has id, label, test`,
    );
  }
  if ("test" in check) return [`${place}.test: is no function; give (trial) => true or a text`];
  return problems(check).map((problem) => `${place}.${problem}`);
}
