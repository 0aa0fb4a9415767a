import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Step, TraceError, TraceStatus, Usage } from "../trace/trace.ts";
import { anyTurns } from "./any-turns.ts";
import { usageOf } from "./content.ts";
import { readConversation, type Turn } from "./conversation.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { inspectScores } from "./inspect-score.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { pythonError } from "./python-error.ts";

/** The call by which Inspect's agents hand in their answer. */
const SUBMIT = "submit";

/** A log of Inspect AI, with a trace for each sample; the status of the log says nothing about a sample. */
export const inspectAi: Importer = {
  name: "inspect-ai",

  recognises(record: Json): boolean {
    if (!isObject(record) || !isObject(own(record, "eval"))) return false;
    const known = ["samples", "plan", "results", "stats"].some((key) => Object.hasOwn(record, key));
    return typeof own(record, "status") === "string" && Object.hasOwn(record, "version") && known;
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const samples = objectsIn(record, "samples");
    if (samples.length === 0) throw noSamples();
    return samples.map((sample, key) => {
      const { draft, warnings } = traceOf(sample, record, about);
      return { draft, warnings, key };
    });
  },
};

function traceOf(raw: JsonObject, log: JsonObject, about: About): ImportedTrace {
  const sample = withAttachments(raw);
  const head = objectIn(log, "eval");
  const all = anyTurns(messagesOf(sample), "user");
  const turns = all.filter((turn): turn is Turn => turn.kind !== "system");
  const system = all.flatMap((turn) => (turn.kind === "system" ? [turn.text] : []));
  const read = readConversation(turns.map((turn) => withError(turn, sample)));
  const asked = anyTurns(own(sample, "input"), "user").find((turn) => turn.kind === "user");
  const task = (asked?.kind === "user" ? asked.content : undefined) ?? read.task ?? null;
  const end = endOf(sample, read.steps, read.output);
  const { score, scores } = inspectScores(sample);
  const id = own(sample, "id") ?? null;
  return {
    draft: {
      task,
      // Epochs of one sample are tries at one task.
      taskId: taskIdOf({
        task: own(head, "task") ?? null,
        id,
        input: own(sample, "input") ?? null,
      }),
      agent: textIn(head, "task") ?? about.agent,
      agentVersion: versionOf(own(head, "task_version")),
      source: "inspect-ai",
      status: end.status,
      steps: end.steps,
      ...maybe("output", end.output),
      ...maybe("startedAt", epochMs(own(sample, "started_at"))),
      ...maybe("endedAt", epochMs(own(sample, "completed_at"))),
      ...maybe("durationMs", seconds(own(sample, "total_time"))),
      ...maybe("score", score),
      ...maybe("usage", usageIn(sample)),
      meta: {
        ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
        sample: id,
        ...maybe("epoch", own(sample, "epoch")),
        ...maybe("model", textIn(head, "model")),
        ...maybe("target", own(sample, "target")),
        ...maybe("finish_reason", stopReason(sample)),
        ...(scores.length > 0 ? { scores } : {}),
      },
    },
    warnings: [...(task === null ? ["the sample has no input"] : []), ...read.warnings],
  };
}

function messagesOf(sample: JsonObject): Json {
  const messages = own(sample, "messages");
  if (Array.isArray(messages) && messages.length > 0) return messages;
  const choice = objectsIn(objectIn(sample, "output"), "choices")[0];
  return [
    { role: "user", content: own(sample, "input") ?? "" },
    ...(choice === undefined ? [] : [objectIn(choice, "message")]),
  ];
}

/** Inspect's tool messages carry an error of their own: `{type, message}`. */
function withError(turn: Turn, sample: JsonObject): Turn {
  if (turn.kind !== "result" || turn.id === undefined) return turn;
  const message = objectsIn(sample, "messages").find(
    (one) => textIn(one, "tool_call_id") === turn.id,
  );
  const error = message === undefined ? undefined : own(message, "error");
  if (!isObject(error)) return turn;
  return { ...turn, content: { error, content: turn.content }, flagged: true };
}

interface End {
  readonly status: TraceStatus;
  readonly steps: Step[];
  readonly output?: Json;
}

/** How a sample ended: by an error, at a limit, or with an answer, which can be the argument of a call. */
function endOf(sample: JsonObject, steps: Step[], output: Json | undefined): End {
  const error = errorOf(own(sample, "error"));
  if (error !== undefined) {
    const rest = steps.filter(({ kind }) => kind !== "output");
    return { status: "error", steps: [...rest, { index: rest.length, kind: "error", error }] };
  }
  const limit = own(sample, "limit");
  const said = output ?? submitted(steps);
  const whole: Step[] =
    output === undefined && said !== undefined
      ? [...steps, { index: steps.length, kind: "output", content: said }]
      : steps;
  if (isObject(limit) || (typeof limit === "string" && limit !== "")) {
    const type = isObject(limit) ? (textIn(limit, "type") ?? "unknown") : limit;
    const told: Step = {
      index: whole.length,
      kind: "error",
      error: {
        name: "LimitExceeded",
        message: `the sample ended at its limit: ${type}`,
        source: "flag",
      },
    };
    return { status: "timeout", steps: [...whole, told], ...maybe("output", said) };
  }
  return {
    status: said === undefined ? "incomplete" : "ok",
    steps: whole,
    ...maybe("output", said),
  };
}

function submitted(steps: readonly Step[]): Json | undefined {
  const last = steps.findLast(({ kind }) => kind === "tool" || kind === "model");
  if (last?.kind !== "tool" || last.name !== SUBMIT || last.result?.ok === false) return undefined;
  return (isObject(last.args) ? own(last.args, "answer") : undefined) ?? last.args;
}

function errorOf(value: Json | undefined): TraceError | undefined {
  if (!isObject(value)) return undefined;
  const text = textIn(value, "message") ?? textIn(value, "traceback");
  return { ...pythonError(text ?? "the sample ended with an error"), source: "flag" };
}

/** Long texts stand apart in a sample, and `attachment://<hash>` stands where they belong. */
function withAttachments(sample: JsonObject): JsonObject {
  const attachments = objectIn(sample, "attachments");
  if (Object.keys(attachments).length === 0) return sample;
  const keys = ["input", "messages", "output", "scores", "score"];
  const resolved = keys.flatMap((key) => {
    const value = own(sample, key);
    return value === undefined ? [] : [[key, resolve(value, attachments)] as const];
  });
  return { ...sample, ...Object.fromEntries(resolved) };
}

function resolve(value: Json, attachments: JsonObject): Json {
  if (typeof value === "string") {
    const name = /^attachment:\/\/(\w+)$/.exec(value)?.[1];
    return name === undefined ? value : (own(attachments, name) ?? value);
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, attachments));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, resolve(held, attachments)]),
  );
}

function usageIn(sample: JsonObject): Usage | undefined {
  return (
    usageOf(Object.values(objectIn(sample, "model_usage"))[0]) ??
    usageOf(own(objectIn(sample, "output"), "usage"))
  );
}

function stopReason(sample: JsonObject): string | undefined {
  const choice = objectsIn(objectIn(sample, "output"), "choices")[0];
  return choice === undefined ? undefined : textIn(choice, "stop_reason");
}

function versionOf(value: Json | undefined): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : "0";
}

function seconds(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 0 && value < 1e9 ? value * 1000 : undefined;
}

function noSamples(): Error {
  return failure("E_RECORD_EMPTY", {
    to: "read a log of inspect-ai",
    because: "it holds no sample, only what the log says of itself",
    fix: "Write the log with its samples, or leave it out",
  });
}
