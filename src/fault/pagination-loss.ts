import type { Json } from "../shared/json.ts";
import type { Fault, FaultType } from "./fault.ts";
import { findPlace, valueAt, withValue } from "./place.ts";
import { reshaping } from "./reshaping.ts";

export const paginationLoss = {
  type: "pagination_loss",
  label: "lost item",
  summary:
    "The read is carried out, and the first list of the answer lacks one item, as when a page shifts between two reads.",
  appliesTo: ["read"],
  fields: { drop: "json" },
  matrix: false,
  commits: "none",
  problems: ({ drop }) =>
    drop === undefined || drop === "first" || drop === "last" || isIndex(drop)
      ? []
      : ['drop: it must be "last", "first" or the place of the item, from 0'],
  arm: (fault, armed) =>
    reshaping(armed, (data) => withLoss(data, fault), "its data has no list with such an item"),
} as const satisfies FaultType;

function isIndex(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function withLoss(data: Json, { drop = "last" }: Fault): Json | undefined {
  const place = findPlace(data, (value) => Array.isArray(value));
  const list = place === undefined ? undefined : valueAt(data, place);
  if (place === undefined || !Array.isArray(list)) return undefined;
  const lost = isIndex(drop) ? drop : drop === "first" ? 0 : list.length - 1;
  if (lost < 0 || lost >= list.length) return undefined;
  return withValue(data, place, list.toSpliced(lost, 1));
}
