import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { together } from "./any-message.ts";
import { anyTurns } from "./any-turns.ts";
import { usageOf } from "./content.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "openai-agents";
/** Levels of agents that wait inside agents. */
const DEPTH = 8;

/** A run state of the OpenAI Agents SDK, as it is saved when a run waits for a person or has ended. */
export const openaiAgents: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (!isObject(record) || !Object.hasOwn(record, "$schemaVersion")) return false;
    return ["modelResponses", "generatedItems", "currentAgent"].some((key) =>
      Object.hasOwn(record, key),
    );
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf(record, about)] : [];
  },
};

function traceOf(state: JsonObject, about: About): ImportedTrace {
  const step = objectIn(state, "currentStep");
  const type = textIn(step, "type");
  const items = itemsOf(state);
  const output = type === "next_step_final_output" ? (own(step, "output") ?? undefined) : undefined;
  const inner = pendingIn(state, 0);
  const waiting = interruptions(step);
  const told = toldTrace({
    format: FORMAT,
    turns: [
      ...anyTurns(own(state, "originalInput"), "user"),
      ...together(items.flatMap((item) => anyTurns([item], "assistant"))),
    ],
    agent: textIn(objectIn(state, "currentAgent"), "name") ?? about.agent,
    output: typeof output === "string" ? output : undefined,
    truncated:
      type === "next_step_interruption"
        ? "waiting_for_approval"
        : type === "next_step_final_output"
          ? undefined
          : "unfinished",
    meta: {
      schema: own(state, "$schemaVersion") ?? null,
      ...maybe("turn", own(state, "currentTurn")),
      ...(waiting.length > 0 ? { waiting_for: waiting } : {}),
    },
    more: {
      ...maybe("usage", usageOf(own(objectIn(state, "context"), "usage"))),
    },
  });
  if (inner.length === 0) return told;
  const { steps } = told.draft;
  return {
    ...told,
    draft: {
      ...told.draft,
      steps: [...steps, { index: steps.length, kind: "other", name: "subagent", content: inner }],
    },
  };
}

/** What the run produced: its items, or, in a state without them, the answers of the model. */
function itemsOf(state: JsonObject): Json[] {
  const items = objectsIn(state, "generatedItems").flatMap((item) => {
    if (textIn(item, "type") === "tool_approval_item") return [];
    const raw = own(item, "rawItem");
    return isObject(raw) ? [raw] : [];
  });
  if (items.length > 0) return items;
  return objectsIn(state, "modelResponses").flatMap((response) => objectsIn(response, "output"));
}

function interruptions(step: JsonObject): string[] {
  const data = objectIn(step, "data");
  return objectsIn(data, "interruptions").flatMap(
    (one) => textIn(one, "toolName") ?? textIn(objectIn(one, "rawItem"), "name") ?? [],
  );
}

/** The agents that wait within a call of this one; their states are JSON texts. */
function pendingIn(state: JsonObject, depth: number): Json[] {
  if (depth > DEPTH) return [];
  return Object.entries(objectIn(state, "pendingAgentToolRuns")).map(([call, text]) => {
    const inner = typeof text === "string" ? parsed(text) : text;
    if (!isObject(inner)) return { call, state: text };
    return {
      call,
      agent: textIn(objectIn(inner, "currentAgent"), "name") ?? "agent",
      items: itemsOf(inner),
      pending: pendingIn(inner, depth + 1),
    };
  });
}

function parsed(text: string): Json {
  try {
    return parseJson(text, { depth: 64 });
  } catch {
    return text;
  }
}
