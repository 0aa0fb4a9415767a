import { byCodeUnit, type Json } from "../shared/json.ts";
import type { TraceError, Usage } from "../trace/trace.ts";

/** What a span stands for; everything that is no agent, model call or tool call is `other`. */
export type SpanKind = "agent" | "model" | "tool" | "other";

/** One timed unit of a tracing system, with its foreign names taken away. */
export interface Span {
  readonly id: string;
  readonly parent?: string;
  readonly kind: SpanKind;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly start?: number;
  readonly end?: number;
  /** Text that orders the spans of one trace, for systems that write one. */
  readonly order?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly error?: TraceError;
  readonly callId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly system?: string;
  /** Names of the tools that a model call was offered. */
  readonly tools?: readonly string[];
  /** It began and never ended. */
  readonly open?: boolean;
}

/** Levels of spans that are walked up; hostile files have more. */
const DEPTH = 200;

/** Spans in the order in which they began, with what is needed to walk up from each. */
export interface SpanTree {
  readonly spans: readonly Span[];
  readonly root?: Span;
  /** The spans around one, the nearest first; a cycle ends the walk. */
  around(span: Span): readonly Span[];
}

/** Spans by their order text where all have one, else by start, then depth, then place in the file. */
export function spanTree(all: readonly Span[]): SpanTree {
  const byId = new Map(all.map((span) => [span.id, span]));
  const spans = [...byId.values()];
  const around = (span: Span): readonly Span[] => {
    const found: Span[] = [];
    const seen = new Set([span.id]);
    let next = span.parent === undefined ? undefined : byId.get(span.parent);
    while (next !== undefined && !seen.has(next.id) && found.length < DEPTH) {
      seen.add(next.id);
      found.push(next);
      next = next.parent === undefined ? undefined : byId.get(next.parent);
    }
    return found;
  };
  const depthOf = depths(byId);
  const ranked = spans.map((span, place) => ({ span, place, depth: depthOf(span) }));
  const ordered = spans.every((span) => span.order !== undefined);
  const timed = spans.every((span) => span.start !== undefined);
  ranked.sort((a, b) => {
    const first = ordered
      ? byCodeUnit(a.span.order ?? "", b.span.order ?? "")
      : timed
        ? (a.span.start ?? 0) - (b.span.start ?? 0)
        : 0;
    return first || a.depth - b.depth || a.place - b.place;
  });
  const tops = ranked.filter(({ depth }) => depth === 0).map(({ span }) => span);
  const root = tops.length === 1 ? tops[0] : mainOf(tops);
  return { spans: ranked.map(({ span }) => span), ...(root === undefined ? {} : { root }), around };
}

/** How deep each span lies; every span is walked over once. */
function depths(byId: ReadonlyMap<string, Span>): (span: Span) => number {
  const known = new Map<string, number>();
  return (span) => {
    const path: string[] = [];
    const walked = new Set<string>();
    let next: Span | undefined = span;
    while (next !== undefined && !known.has(next.id) && !walked.has(next.id)) {
      path.push(next.id);
      walked.add(next.id);
      next = next.parent === undefined ? undefined : byId.get(next.parent);
    }
    let depth = next === undefined ? -1 : (known.get(next.id) ?? -1);
    for (const id of path.toReversed()) known.set(id, ++depth);
    return known.get(span.id) ?? 0;
  };
}

/** Of several spans without a parent, the one that tells what was asked or answered and is no single call. */
function mainOf(tops: readonly Span[]): Span | undefined {
  const whole = tops.filter(({ kind }) => kind === "agent" || kind === "other");
  return whole.find(({ input, output }) => input !== undefined || output !== undefined);
}

/** Spans that tell something new, and the sub-agents' own spans, which stand below the tool call that started them. */
export interface Pruned {
  readonly main: readonly Span[];
  readonly below: ReadonlyMap<string, readonly Span[]>;
}

/**
 * One model call can be told three times, by the framework, the client and the network: the innermost that has an answer
 * stays. A tool call inside one of the same tool is the same call.
 */
export function prune(tree: SpanTree): Pruned {
  const told = tree.spans.filter(({ kind }) => kind === "model" || kind === "tool");
  const dropped = new Set<string>();
  const filled = new Map<string, Span>();
  for (const span of told) {
    if (span.kind !== "model") continue;
    const outer = tree.around(span).filter(({ kind }) => kind === "model");
    if (outer.length === 0) continue;
    if (span.output === undefined && outer.some(({ output }) => output !== undefined))
      dropped.add(span.id);
    else for (const one of outer) dropped.add(one.id);
  }
  for (const span of told) {
    if (span.kind !== "tool") continue;
    const twin = tree.around(span).find(({ kind, name }) => kind === "tool" && name === span.name);
    if (twin === undefined) continue;
    dropped.add(span.id);
    filled.set(twin.id, { ...span, ...(filled.get(twin.id) ?? twin) });
  }
  const main: Span[] = [];
  const below = new Map<string, Span[]>();
  for (const span of told) {
    if (dropped.has(span.id)) continue;
    const host = tree.around(span).findLast(({ kind, id }) => kind === "tool" && !dropped.has(id));
    if (host === undefined) main.push(filled.get(span.id) ?? span);
    else {
      const inside = below.get(host.id) ?? [];
      below.set(host.id, inside);
      inside.push(span);
    }
  }
  return { main, below };
}
