import type { Completion } from "../agent/agent.ts";
import { encode } from "../shared/encode.ts";
import { failure } from "../shared/error.ts";
import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { nearest } from "../shared/nearest.ts";
import { firstDifference } from "../shared/pointer.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { ToolResult, Trace, TraceError } from "../trace/trace.ts";
import { completionOf } from "./completion.ts";
import { RecordedAnswers } from "./played-answers.ts";
import { endingOf, scriptedAgent, type ScriptedAgent } from "./scripted-agent.ts";

/** Whether each tool changes something, by the alias under which code knows the tool. */
export type ToolKinds = Readonly<Record<string, "read" | "write">>;

/** By the alias of each writing tool, the arguments of the calls that it accepted. */
export type WrittenState<Kinds extends ToolKinds> = {
  [Alias in keyof Kinds as Kinds[Alias] extends "write" ? Alias : never]: Json[];
};

/** A tool of a recorded run, for a world. */
export interface PlayedTool<State = never> {
  readonly kind: "read" | "write";
  /** JSON Schema of the arguments; `{}` where nothing is known of them. */
  readonly parameters: JsonObject;
  /** Answers as the recorded run was answered; a writing tool keeps the arguments of an accepted call in the state. */
  execute(args: JsonObject, state: State): unknown;
}

/** What is known of a tool beside its answers. */
export interface ToolFacts {
  /** As agents call it. */
  readonly name: string;
  readonly parameters: JsonObject;
}

/** A recorded run as the ground of a world. */
export interface PlayedTrace<Kinds extends ToolKinds = ToolKinds> {
  readonly task: Json;
  /** The tools' own names, by alias. */
  readonly names: { readonly [Alias in keyof Kinds]: string };
  /** The recorded agent, scripted: it makes the recorded calls, and stops at the first answer that was not recorded. */
  readonly agent: ScriptedAgent;
  /** Whether an agent ends as the recorded one did; else how it differs. */
  readonly endsAsRecorded: (completion: Completion | undefined) => true | string;
  /** Start state and tools for one trial. */
  play(): {
    readonly state: WrittenState<Kinds>;
    readonly tools: { readonly [Alias in keyof Kinds]: PlayedTool<WrittenState<Kinds>> };
  };
}

type Lists = Record<string, Json[]>;

interface KnownTool extends ToolFacts {
  readonly alias: string;
  readonly kind: "read" | "write";
}

/** Makes a recorded run playable; `facts` are what is known of its tools, by alias. Throws E_TRACE_TOOL for an unknown alias. */
export function playTrace<Kinds extends ToolKinds>(
  trace: Trace,
  facts: ReadonlyMap<string, ToolFacts>,
  kinds: Kinds,
): PlayedTrace<Kinds> {
  const tools = Object.entries(kinds).map(([alias, kind]): KnownTool => {
    const { name, parameters } = factsOf(facts, alias);
    return { alias, kind, name, parameters };
  });
  const writing = new Set(tools.flatMap(({ name, kind }) => (kind === "write" ? [name] : [])));
  const calls = trace.steps.filter((step) => step.kind === "tool");
  const answers = new RecordedAnswers(calls, (name) => writing.has(name));
  return {
    task: trace.task,
    names: Object.fromEntries(tools.map(({ alias, name }) => [alias, name])),
    agent: scriptedAgent(trace),
    endsAsRecorded: (completion: Completion | undefined) => endsAsRecorded(trace, completion),
    play: () => play(tools, answers),
  } as unknown as PlayedTrace<Kinds>;
}

/** Start state and tools of one trial. */
function play(
  tools: readonly KnownTool[],
  answers: RecordedAnswers,
): { readonly state: Lists; readonly tools: Record<string, PlayedTool> } {
  const answer = answers.open();
  const writes = tools.filter(({ kind }) => kind === "write").map(({ alias }) => alias);
  const played = ({ alias, name, kind, parameters }: KnownTool): PlayedTool => ({
    kind,
    parameters,
    execute(args: JsonObject, state: Lists): unknown {
      const given = encode(args);
      const done = answer(name, given, acceptedIn(state, writes));
      if ("missing" in done) throw missed(alias, done);
      if (kind === "write" && done.result.ok) (state[alias] ??= []).push(given);
      return answered(done.result);
    },
  });
  return {
    state: Object.fromEntries(writes.map((alias) => [alias, []])),
    tools: Object.fromEntries(tools.map((tool) => [tool.alias, played(tool)])),
  };
}

function factsOf(facts: ReadonlyMap<string, ToolFacts>, alias: string): ToolFacts {
  const known = facts.get(alias);
  if (known !== undefined) return known;
  const meant = nearest(alias, [...facts.keys()]);
  throw failure("E_TRACE_TOOL", {
    to: `open the recorded tool ${oneLine(alias, 60)}`,
    because: "tools.json has none of that alias",
    fix:
      meant === undefined
        ? "Use the aliases of tools.json"
        : `Write ${oneLine(meant, 60)} if that is meant`,
  });
}

/** How many writes the state holds: the place in the recorded run that it stands for. */
function acceptedIn(state: Lists, writes: readonly string[]): number {
  let sum = 0;
  for (const alias of writes) {
    const list: unknown = state[alias];
    if (Array.isArray(list)) sum += list.length;
  }
  return sum;
}

/** In the form in which a tool of a world answers; an error is data here, so that one of the language's own is no crash. */
function answered(result: ToolResult): unknown {
  if (result.ok) return { ok: true, data: result.data };
  return { ok: false, error: toldError(result.error) };
}

function toldError({ name, code, message, retryable, data }: TraceError): unknown {
  return {
    ...(isObject(data) && data["$t"] === undefined ? data : {}),
    ...(name === undefined ? {} : { name }),
    ...(code === undefined ? {} : { code }),
    message,
    ...(retryable === undefined ? {} : { retryable }),
  };
}

/** The world takes it for its own mistake, as it is: so the trial is inconclusive, whatever the agent makes of it. */
function missed(
  alias: string,
  { missing, args }: { readonly missing: "unknown" | "unanswered"; readonly args: Json },
): Error {
  const call = `${alias}(${clip(oneLine(canonical(args)), 200)})`;
  return new RangeError(
    missing === "unanswered"
      ? `the recorded call ${call} was never answered; give ${alias} an execute of its own in the world`
      : `the recorded run has no call ${call}; give ${alias} an execute of its own in the world`,
  );
}

/** Whether a completion is the one that the recorded run ended with; else how it differs. */
export function endsAsRecorded(trace: Trace, completion: Completion | undefined): true | string {
  const found = firstDifference(asJson(completionOf(endingOf(trace))), asJson(completion));
  if (found === undefined) return true;
  const place = found.pointer === "" ? "it" : found.pointer;
  return `it ended otherwise than the recorded run: ${clip(oneLine(place), 100)} is ${shown(found.right)}, recorded is ${shown(found.left)}`;
}

function shown(value: Json | undefined): string {
  return value === undefined ? "missing" : clip(oneLine(canonical(value)), 120);
}

function asJson(completion: Completion | undefined): Json {
  return completion === undefined ? null : { ...completion };
}
