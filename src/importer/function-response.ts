import { isObject, type Json } from "../shared/json.ts";
import { objectIn, own } from "./member.ts";

/** The answer within Gemini's part, `{functionResponse: {response: {output | error}}}`; undefined when it is none. */
export function functionAnswer(result: Json | undefined): Json | undefined {
  const [part] = Array.isArray(result) ? result : [result];
  const response = isObject(part) ? own(objectIn(part, "functionResponse"), "response") : undefined;
  if (!isObject(response)) return undefined;
  const keys = Object.keys(response);
  return keys.length === 1 && keys[0] === "output" ? own(response, "output") : response;
}
