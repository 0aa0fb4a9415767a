import type { Usage } from "./trace.ts";

const COUNTS = ["inputTokens", "outputTokens", "totalTokens"] as const;

/** The usable counts of what an agent tells as usage; undefined when there are none. */
export function usageOf(given: Usage | null | undefined): Usage | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const usage: Usage = {};
  for (const key of COUNTS) {
    const count = given[key];
    if (count !== undefined && Number.isSafeInteger(count) && count >= 0) usage[key] = count;
  }
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The sum of two usages, either of which may be unknown. */
export function totalUsage(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (sum === undefined || usage === undefined) return sum ?? usage;
  const total: Usage = {};
  for (const key of COUNTS) {
    if (sum[key] !== undefined || usage[key] !== undefined)
      total[key] = (sum[key] ?? 0) + (usage[key] ?? 0);
  }
  return total;
}
