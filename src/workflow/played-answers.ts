import { asArguments } from "./arguments-object.ts";
import { openMatching, type Matching } from "../repro/matching.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";

/** What a call is answered with, or why there is nothing. */
export type Played =
  | { readonly result: ToolResult }
  | { readonly missing: "unknown" | "unanswered"; readonly args: Json };

/** The answers of equal calls that were given after equally many writes, in their order. */
interface Group {
  readonly writes: number;
  readonly results: ToolResult[];
}

/**
 * The answers of a recorded run, found by tool and arguments. Equal calls that were answered differently are answered in the
 * recorded order, the last answer again and again. A write in between begins anew: what was read before it is not told after
 * it, nor the other way round.
 */
export class RecordedAnswers {
  readonly #matching: Matching = openMatching({});
  readonly #groups = new Map<string, Group[]>();
  readonly #unanswered = new Set<string>();

  constructor(calls: readonly ToolStep[], isWrite: (tool: string) => boolean) {
    let writes = 0;
    for (const { name, args, result } of calls) {
      const { key } = this.#matching.recorded({ tool: name, args: asArguments(args) });
      if (result === undefined) this.#unanswered.add(key);
      else this.#add(key, writes, result);
      if (result?.ok === true && isWrite(name)) writes += 1;
    }
  }

  #add(key: string, writes: number, result: ToolResult): void {
    const groups = this.#groups.get(key) ?? [];
    this.#groups.set(key, groups);
    const last = groups.at(-1);
    if (last?.writes === writes) last.results.push(result);
    else groups.push({ writes, results: [result] });
  }

  /** Answers for one trial; nothing that one is asked changes another. */
  open(): (tool: string, args: Json, writes: number) => Played {
    const given = new Map<Group, number>();
    return (tool, args, writes) => {
      const { key } = this.#matching.asked({ tool, args });
      const groups = this.#groups.get(key);
      const group = groups?.findLast((one) => one.writes <= writes) ?? groups?.[0];
      if (group === undefined)
        return { missing: this.#unanswered.has(key) ? "unanswered" : "unknown", args };
      const place = given.get(group) ?? 0;
      given.set(group, place + 1);
      const result = group.results[Math.min(place, group.results.length - 1)];
      return result === undefined ? { missing: "unknown", args } : { result };
    };
  }
}
