import { isObject, type Json } from "../shared/json.ts";
import { anyTurns, unwrapped } from "./any-turns.ts";
import { contentOf } from "./content.ts";
import { own, textIn } from "./member.ts";

/** What a tool span says it answered: the content of a tool message, the only member of an `output`, or the value itself. */
export function answerIn(output: Json): { content: Json; flagged: boolean } {
  let value = unwrapped(output);
  for (let i = 0; i < 4 && isObject(value); i++) {
    const kwargs = own(value, "kwargs");
    const members = Object.keys(value);
    if (isObject(kwargs)) value = kwargs;
    else if (members.length === 1 && (members[0] === "output" || members[0] === "result")) {
      value = unwrapped(own(value, members[0]) ?? null);
    } else break;
  }
  if (!isObject(value)) return { content: value, flagged: false };
  const message = textIn(value, "type") === "tool" || Object.hasOwn(value, "tool_call_id");
  if (!message || !Object.hasOwn(value, "content")) return { content: value, flagged: false };
  return { content: contentOf(own(value, "content")), flagged: own(value, "status") === "error" };
}

/** What a user asked, within the input of a whole run. */
export function askedIn(input: Json | undefined): Json | undefined {
  if (isNothing(input)) return undefined;
  const turns = anyTurns(input, "user");
  const first = turns.find((turn) => turn.kind === "user");
  return first !== undefined && first.kind === "user" ? first.content : unwrapped(input ?? null);
}

/** What an agent answered last, within the output of a whole run; undefined when it ends with a call or its result. */
export function saidIn(output: Json | undefined): Json | undefined {
  if (isNothing(output)) return undefined;
  const last = anyTurns(output, "assistant").findLast((turn) => turn.kind !== "system");
  if (last === undefined) return unwrapped(output ?? null);
  if (last.kind !== "assistant" || last.calls.length > 0) return undefined;
  return last.text;
}

/** Nothing at all, however it was written. */
function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === "null") return true;
  return isObject(value) && Object.values(value).every((member) => isNothing(member));
}
