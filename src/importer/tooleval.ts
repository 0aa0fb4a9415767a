import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { marker } from "../shared/marker.ts";
import { objectsIn, own, textIn } from "./member.ts";
import { pythonValue } from "./python-repr.ts";
import type { StepList } from "./step-list.ts";
import { answered, FINISH, pushCall } from "./toolbench-search.ts";

const NAME = /^\{'name': '([^']{1,200})'/;
const ARGUMENTS = /'arguments': ("[^"]*"|'(?:[^'\\]|\\.)*')/;

/**
 * The chain of an evaluated answer as steps; gives the number of texts that were cut off. The published files cut each
 * text at 100 characters, so that what is left of arguments and answers is kept as cut.
 */
export function pushDetails(list: StepList, answer: JsonObject): number {
  let cut = 0;
  let nodes = objectsIn(answer, "answer_details");
  for (let node = nodes.at(-1); node !== undefined; node = nodes.at(-1)) {
    const role = textIn(node, "role");
    const message = own(node, "message") ?? "";
    if (role === "tool") cut += pushTool(list, message) ? 1 : 0;
    else if (role === "assistant" && message !== "") list.model(message);
    nodes = objectsIn(node, "next");
  }
  return cut;
}

/** A call with its answer in one text; whether the text was cut. */
function pushTool(list: StepList, message: Json): boolean {
  const whole = typeof message === "string" ? pythonValue(message) : message;
  if (isObject(whole)) {
    const step = pushCall(list, textIn(whole, "name"), own(whole, "arguments"));
    const seen = own(whole, "response");
    if (step !== undefined && seen !== undefined) list.answer(step, answered(seen).result);
    return false;
  }
  const text = typeof message === "string" ? message : JSON.stringify(message);
  const name = NAME.exec(text)?.[1] ?? "unknown";
  if (name === FINISH && text.includes("give_answer")) return true;
  const written = ARGUMENTS.exec(text)?.[1];
  const args = written === undefined ? undefined : pythonValue(written);
  const rest = text.indexOf("'response': ");
  const seen = rest < 0 ? "" : text.slice(rest + "'response': ".length);
  // What was cut off may differ, so that no two such calls count as the same.
  const unread = { cut: text.slice(0, 200), step: list.steps.length };
  const step = args === undefined ? list.tool({ name, args: unread }) : pushCall(list, name, args);
  // The chain went on, so there was an answer.
  if (step !== undefined) list.answer(step, { ok: true, data: marker("truncated", seen) });
  return true;
}
