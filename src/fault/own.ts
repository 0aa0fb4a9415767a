import type { Fault } from "./fault.ts";

/** A number among a fault's own fields. */
export function numberOf(fault: Fault, field: string, otherwise: number): number {
  const value = fault[field];
  return typeof value === "number" ? value : otherwise;
}

/** A text among a fault's own fields. */
export function textOf(fault: Fault, field: string, otherwise: string): string {
  const value = fault[field];
  return typeof value === "string" ? value : otherwise;
}

/** A list of texts among a fault's own fields. */
export function namesOf(fault: Fault, field: string): readonly string[] {
  const value = fault[field];
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
