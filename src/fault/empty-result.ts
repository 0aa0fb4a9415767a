import { same, type Json } from "../shared/json.ts";
import type { FaultType } from "./fault.ts";
import { reshaping } from "./reshaping.ts";

export const emptyResult = {
  type: "empty_result",
  label: "empty result",
  summary:
    "The call is carried out and commits, and the agent gets an empty answer of the same type.",
  appliesTo: ["read", "write"],
  fields: {},
  matrix: true,
  commits: "all",
  arm: (_fault, armed) =>
    reshaping(
      armed,
      (data) => (same(data, emptyOf(data)) ? undefined : emptyOf(data)),
      "its data was empty already",
    ),
} as const satisfies FaultType;

function emptyOf(data: Json): Json {
  if (Array.isArray(data)) return [];
  if (typeof data === "string") return "";
  return typeof data === "object" && data !== null ? {} : null;
}
