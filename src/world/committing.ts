import type { ToolCall } from "../boundary/boundary.ts";
import { messageOf } from "../shared/error.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { DraftChange } from "./change-at.ts";
import { changesOf, type Collected } from "./changes.ts";
import { badResult, badWrite, brokenResult, readMutates, toolCrashed } from "./issues.ts";
import { shares } from "./nested.ts";
import type { Delivery } from "./open.ts";
import type { Outcome } from "./outcome.ts";
import type { NestedChanges, Transaction } from "./transaction.ts";
import type { Change, WorldIssue } from "./world.ts";

/** What becomes of a transaction whose tool has ended. */
export interface Committed {
  readonly result: ToolResult;
  readonly issue?: WorldIssue;
  /** In the order in which the tool made them; none when nothing commits. */
  readonly changes: readonly DraftChange[];
  readonly marked: boolean;
  /** How many changes the delivery left out; missing when none. */
  readonly cut?: number;
}

/** Judges a tool's outcome and the changes in its draft. */
export function committing(
  transaction: Transaction,
  outcome: Outcome,
  { commit = "all" }: Delivery,
): Committed {
  const { call, tool, draft } = transaction;
  if ("crash" in outcome) return broken(call, toolCrashed(call.tool, outcome.crash));
  if ("problem" in outcome) return broken(call, badResult(call.tool, outcome.problem));
  const { result } = outcome;
  if (draft.journal.length === 0 || (!result.ok && tool.onError !== "keep")) return without(result);
  const collected = collect(transaction);
  if ("crash" in collected) return broken(call, toolCrashed(call.tool, collected.crash));
  if ("problem" in collected) return broken(call, badWrite(call.tool, collected.problem));
  const { changes, marked } = collected;
  const [first] = changes;
  if (first === undefined) return without(result);
  if (tool.kind === "read")
    return { ...without(result), issue: readMutates(call.tool, first.change.path) };
  if (commit === "none") return { ...without(result), cut: changes.length };
  const kept = commit === "all" ? changes : changes.slice(0, Math.max(0, commit.first));
  const cut = changes.length - kept.length;
  return cut === 0 ? { result, changes: kept, marked } : { result, changes: kept, marked, cut };
}

/** What a tool assigned is its own, and may throw when it is read. */
function collect({ draft, version }: Transaction): Collected | { readonly crash: string } {
  try {
    return changesOf(draft, version);
  } catch (thrown) {
    return { crash: messageOf(thrown) };
  }
}

const NONE: readonly never[] = Object.freeze([]);

function without(result: ToolResult): Committed {
  return { result, changes: NONE, marked: false };
}

function broken(call: ToolCall, issue: WorldIssue): Committed {
  return { ...without(brokenResult(call.tool)), issue };
}

/** Changes as evidence keeps them. */
export function valuesOf(changes: readonly DraftChange[]): Change[] {
  return changes.map(({ change }) => change);
}

/** The changes by who made them: nested calls first. */
export function divide(
  nested: readonly NestedChanges[],
  call: ToolCall,
  kept: readonly DraftChange[],
): readonly { readonly by: ToolCall; readonly made: readonly Change[] }[] {
  const divided = shares(
    valuesOf(kept),
    nested.map(({ changes }) => valuesOf(changes)),
  );
  return [
    ...nested.map((inner, i) => ({ by: inner.call, made: divided.nested[i] ?? [] })),
    { by: call, made: divided.own },
  ].filter((mutation) => mutation.made.length > 0);
}
