import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, Step, TraceError, TraceStatus, Usage } from "../trace/trace.ts";
import { anyTurns, unwrapped } from "./any-turns.ts";
import { argumentsOf } from "./content.ts";
import type { ImportedTrace } from "./importer.ts";
import { between } from "./instant.ts";
import { maybe, objectIn, own } from "./member.ts";
import { askedIn, saidIn } from "./span-answer.ts";
import { SpanStory } from "./span-story.ts";
import { prune, spanTree, type Span, type SpanTree } from "./span.ts";

/** Calls by which some frameworks end a run: their argument is the answer. */
const FINISHING = new Set(["final_result", "finish", "Finish", "submit", "final_answer"]);

/** BeeAI writes a span for each event of a call; those at its end carry the result. */
const TOOL_EVENT = /^tool\.(.+)\.([a-z_]+)-\d+$/;
const TELLING = new Set(["success", "error"]);

/** The spans of one trace with what its system knows of the whole. */
export interface SpanRecord {
  readonly format: string;
  readonly spans: readonly Span[];
  readonly agent: string;
  readonly agentVersion?: string | undefined;
  /** By default those of the outermost span. */
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly score?: Score | undefined;
  /** Why the record is not whole, when that is known. */
  readonly truncated?: string | undefined;
  readonly meta?: JsonObject;
  readonly warnings?: readonly string[];
}

/** The spans of one trace as a trace of ours; throws when none of them tells of an agent. */
export function spanTrace(record: SpanRecord): ImportedTrace {
  const tree = spanTree(withNamedTools(record.spans));
  const { main, below } = prune(tree);
  const whole = tree.spans.filter(({ kind }) => kind !== "other");
  const story = new SpanStory();
  const { root } = tree;
  const given = firstText(record.input, isCall(root) ? undefined : root?.input);
  const ended = firstText(record.output, isCall(root) ? undefined : root?.output);
  if (whole.length === 0 && given === undefined && ended === undefined) throw noAgent(record);
  const task = askedIn(given);
  if (task !== undefined) story.asks(task, root?.start);
  for (const span of main) {
    tell(span, { story, tree });
    const inner = below.get(span.id);
    if (inner !== undefined)
      story.list.other(
        "subagent",
        inner.map((one) => brief(one)),
      );
  }
  // Where no call was exported, what the whole run tells may be the conversation.
  const alone = main.length === 0 ? anyTurns(ended, "assistant") : [];
  if (alone.length > 1) story.given(alone, true);
  const finishing = story.list.takeLast(
    ({ name, result }) => FINISHING.has(name) && result === undefined,
  );
  const output = outputOf(ended, story) ?? finishing?.args;
  if (output !== undefined) story.list.output(output);
  const error = root?.error ?? (output === undefined ? main.at(-1)?.error : undefined);
  const told = root?.error === undefined && main.at(-1)?.kind === "tool";
  if (error !== undefined && !told) story.list.error(error);
  const first = story.list.steps.find((step) => step.kind === "input");
  const tools = toolsOf(main);
  const quiet = silence(main);
  const meta = {
    ...maybe("system", story.system.length > 0 ? story.system.join("\n\n") : undefined),
    ...record.meta,
  };
  return {
    draft: {
      task: task ?? (first?.kind === "input" ? first.content : null),
      agent: record.agent,
      agentVersion: record.agentVersion ?? "0",
      source: record.format,
      status: statusOf({ root, error, output }),
      steps: story.list.steps,
      ...timesOf(tree, root),
      ...maybe("output", output),
      ...maybe("tools", tools.length > 0 ? tools : undefined),
      ...maybe("score", record.score),
      ...maybe("usage", total(main)),
      ...maybe("truncated", quiet.length > 0 ? "content_not_exported" : record.truncated),
      ...maybe("meta", Object.keys(meta).length > 0 ? meta : undefined),
    },
    warnings: [...(record.warnings ?? []), ...quiet, ...story.list.unanswered()],
  };
}

/** Systems without a kind for tools name the span as the tool that a model was offered or has called. */
function withNamedTools(spans: readonly Span[]): readonly Span[] {
  const names = new Set<string>();
  for (const { kind, tools, output } of spans) {
    for (const name of tools ?? []) names.add(name);
    const turns = kind === "model" ? anyTurns(output, "assistant") : [];
    const calls = turns.flatMap((turn) => (turn.kind === "assistant" ? turn.calls : []));
    for (const { name } of calls) names.add(name);
  }
  return spans.map((span) => {
    const [, tool, event = ""] = TOOL_EVENT.exec(span.name) ?? [];
    if (tool !== undefined) {
      return TELLING.has(event)
        ? { ...span, kind: "tool" as const, name: tool }
        : { ...span, kind: "other" as const };
    }
    if (span.kind !== "other") return span;
    const name = names.has(span.name)
      ? span.name
      : span.name.replace(/^(?:execute_)?tool[.: ]/, "");
    return names.has(name) ? { ...span, kind: "tool" as const, name } : span;
  });
}

function tell(span: Span, { story, tree }: { story: SpanStory; tree: SpanTree }): void {
  if (span.kind === "tool") {
    story.tool(span, argsOf(span.input));
    return;
  }
  const system = span.system === undefined ? [] : [{ kind: "system" as const, text: span.system }];
  story.given([...system, ...anyTurns(span.input, "user")], tree.around(span).length === 0);
  story.answered(anyTurns(span.output, "assistant"), span);
  const last = tree.spans.at(-1);
  if (span.error !== undefined && last?.id !== span.id && tree.root?.error === undefined) {
    story.list.other("model_error", span.error.message);
  }
}

/** Arguments within what a tool span was given; some systems put them, as text, into an `input`. */
function argsOf(input: Json | undefined): Json {
  let value = input === undefined ? null : unwrapped(input);
  if (isObject(value) && Object.keys(value).length === 1) {
    const inner = unwrapped(own(value, "input") ?? own(value, "args") ?? null);
    if (isObject(inner)) value = inner;
  }
  // How Python functions are traced: `{args: [], kwargs: {…}}`.
  if (isObject(value) && Array.isArray(own(value, "args")) && isObject(own(value, "kwargs"))) {
    const named = objectIn(value, "kwargs");
    value = Object.keys(named).length > 0 ? named : (own(value, "args") ?? null);
  }
  return argumentsOf(value);
}

function isCall(root: Span | undefined): boolean {
  return root?.kind === "model" || root?.kind === "tool";
}

function firstText(...values: readonly (Json | undefined)[]): Json | undefined {
  return values.find(
    (value) => value !== undefined && value !== null && value !== "" && value !== "null",
  );
}

/** What the run says it answered, else what the agent said last with no call after it, else the argument of a finishing call. */
function outputOf(ended: Json | undefined, { list }: SpanStory): Json | undefined {
  const said = saidIn(ended);
  if (said !== undefined && said !== "") return said;
  const last: Step | undefined = list.steps.findLast(
    ({ kind }) => kind === "model" || kind === "tool",
  );
  if (last?.kind === "model") return last.content === "" ? undefined : last.content;
  return last?.kind === "tool" && FINISHING.has(last.name) && last.result?.ok !== false
    ? last.args
    : undefined;
}

function statusOf(end: {
  root: Span | undefined;
  error: TraceError | undefined;
  output: Json | undefined;
}): TraceStatus {
  if (end.error !== undefined) return "error";
  return end.root?.open === true || end.output === undefined ? "incomplete" : "ok";
}

function timesOf(
  tree: SpanTree,
  root: Span | undefined,
): { startedAt?: number; endedAt?: number; durationMs?: number } {
  const starts = tree.spans.flatMap(({ start }) => (start === undefined ? [] : [start]));
  const ends = tree.spans.flatMap(({ end }) => (end === undefined ? [] : [end]));
  const from =
    root?.start ?? (starts.length > 0 ? starts.reduce((a, b) => Math.min(a, b)) : undefined);
  const to = root?.end ?? (ends.length > 0 ? ends.reduce((a, b) => Math.max(a, b)) : undefined);
  return {
    ...maybe("startedAt", from),
    ...maybe("endedAt", to),
    ...maybe("durationMs", between(from, to)),
  };
}

/** A span of a sub-agent, as far as a reader wants to know. */
function brief(span: Span): JsonObject {
  return {
    kind: span.kind,
    name: span.name,
    ...(span.kind === "tool" ? maybe("input", span.input) : {}),
    ...maybe("output", span.output),
    ...maybe("error", span.error?.message),
  };
}

function toolsOf(spans: readonly Span[]): string[] {
  return [...new Set(spans.flatMap(({ tools }) => tools ?? []))].sort();
}

function total(spans: readonly Span[]): Usage | undefined {
  const usages = spans.flatMap(({ kind, usage }) =>
    kind === "model" && usage !== undefined ? [usage] : [],
  );
  if (usages.length === 0) return undefined;
  const sum = (key: keyof Usage): number | undefined => {
    const counts = usages.flatMap((usage) => usage[key] ?? []);
    return counts.length === 0 ? undefined : counts.reduce((a, b) => a + b);
  };
  return {
    ...maybe("inputTokens", sum("inputTokens")),
    ...maybe("outputTokens", sum("outputTokens")),
    ...maybe("totalTokens", sum("totalTokens")),
  };
}

/** Contents are often left out for privacy; then the trace has a shape and no words. */
function silence(spans: readonly Span[]): string[] {
  const models = spans.filter(({ kind }) => kind === "model");
  const silent = models.every(({ input, output }) => input === undefined && output === undefined);
  return models.length > 0 && silent
    ? ["the model calls carry no content: it was not exported"]
    : [];
}

function noAgent({ format, spans }: SpanRecord): Error {
  return failure("E_RECORD_EMPTY", {
    to: `read a trace of ${format}`,
    because: `none of its ${spans.length} spans is of an agent, a model or a tool`,
    fix: "Export the spans of the agent too, or leave the trace out",
  });
}
