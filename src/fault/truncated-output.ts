import type { Json } from "../shared/json.ts";
import type { Fault, FaultType } from "./fault.ts";
import { findPlace, valueAt, withValue } from "./place.ts";
import { reshaping } from "./reshaping.ts";

export const truncatedOutput = {
  type: "truncated_output",
  label: "truncated reply",
  summary:
    "The call is carried out and commits, and the agent gets only the beginning of the answer: of its text, or of its first list.",
  appliesTo: ["read", "write"],
  fields: { length: "count", items: "count" },
  matrix: true,
  commits: "all",
  problems: ({ length, items }) =>
    length !== undefined && items !== undefined
      ? ["items: the text is already cut at `length`; give one of the two"]
      : [],
  arm: (fault, armed) =>
    reshaping(armed, (data) => truncated(data, fault), "its data was not longer than that"),
} as const satisfies FaultType;

function truncated(data: Json, { length, items }: Fault): Json | undefined {
  if (typeof items === "number") return firstItems(data, items);
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const kept = typeof length === "number" ? length : Math.floor(text.length / 2);
  if (kept >= text.length) return undefined;
  // Half of a surrogate pair is no character, and would not survive a file.
  return text.slice(0, kept).replace(/[\ud800-\udbff]$/, "");
}

function firstItems(data: Json, items: number): Json | undefined {
  const place = findPlace(data, (value) => Array.isArray(value));
  const list = place === undefined ? undefined : valueAt(data, place);
  if (place === undefined || !Array.isArray(list) || list.length <= items) return undefined;
  return withValue(data, place, list.slice(0, items));
}
