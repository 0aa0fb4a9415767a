import { byCodeUnit } from "../shared/json.ts";
import * as builtin from "./builtin.ts";
import type { FaultType } from "./fault.ts";

/** What people meet most often comes first; then by name. */
const FIRST: readonly string[] = [
  "timeout_after",
  "duplicate_delivery",
  "timeout_before",
  "unavailable",
  "malformed",
  "permission_revoked",
];

function rank({ type }: FaultType): number {
  const place = FIRST.indexOf(type);
  return place < 0 ? FIRST.length : place;
}

const TYPES: ReadonlyMap<string, FaultType> = new Map(
  Object.values<FaultType>(builtin)
    .sort((a, b) => rank(a) - rank(b) || byCodeUnit(a.type, b.type))
    .map((type) => [type.type, type]),
);

/** Every built-in fault type by its name, in the order of the matrix. */
export function faultTypes(): ReadonlyMap<string, FaultType> {
  return TYPES;
}
