import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Step, TraceError } from "../trace/trace.ts";
import { chatTrace, scoreOf } from "./chat.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, own, textIn } from "./member.ts";
import { isMessages } from "./messages.ts";
import { namedError } from "./tool-error.ts";

/** The sign by which the simulated user ends the conversation; nobody says it. */
const STOP = "###STOP###";
/** The call that ends a run: the agent hands the user over, and its summary is the last thing that it says. */
const HANDOVER = "transfer_to_human_agents";

/** One run of tau-bench: `{task_id, reward, info, traj, trial}`; a crashed one has `info.error` and often no messages. */
export const tauBench: Importer = {
  name: "tau-bench",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    const traj = own(record, "traj");
    const empty = Array.isArray(traj) && traj.length === 0;
    const named = Object.hasOwn(record, "reward") || Object.hasOwn(record, "task_id");
    return (isMessages(traj) || empty) && named;
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const info = objectIn(record, "info");
    const task = objectIn(info, "task");
    const crash = crashOf(info);
    const { draft, warnings } = conversation(record, about);
    const ended = crash === undefined ? handedOver(draft) : crashed(draft, crash);
    // The first message is told anew in each trial; the task itself is the same.
    const known = Object.keys(task).length > 0 ? task : { task_id: own(record, "task_id") ?? null };
    return [
      {
        draft: { ...ended, taskId: taskIdOf(known), meta: { ...ended.meta, ...metaOf(record) } },
        warnings: crash === undefined ? warnings : [],
      },
    ];
  },
};

function conversation(record: JsonObject, about: About): ImportedTrace {
  const traj = own(record, "traj");
  if (isMessages(traj)) {
    const messages = traj.filter((message) => !isStop(message));
    return chatTrace({ format: "tau-bench", messages, record, about });
  }
  const instruction = textIn(objectIn(objectIn(record, "info"), "task"), "instruction");
  return {
    draft: {
      task: instruction ?? { task_id: own(record, "task_id") ?? null },
      agent: about.agent,
      agentVersion: "0",
      source: "tau-bench",
      status: "incomplete",
      steps: [],
      ...maybe("score", scoreOf(record)),
    },
    warnings: ["the record has no message"],
  };
}

function isStop(message: JsonObject): boolean {
  return own(message, "role") === "user" && textIn(message, "content")?.trim() === STOP;
}

/** The thrown error that ended a run; its class is in the last line of the traceback. */
function crashOf(info: JsonObject): TraceError | undefined {
  const message = textIn(info, "error");
  const last = textIn(info, "traceback")?.trimEnd().split("\n").at(-1);
  if (last !== undefined && (message === undefined || last.endsWith(message)))
    return namedError(last);
  return message === undefined ? undefined : namedError(message);
}

function crashed(draft: Draft, error: TraceError): Draft {
  const { output: _unsaid, ...rest } = draft;
  const steps = draft.steps.filter(({ kind }) => kind !== "output");
  return {
    ...rest,
    status: "error",
    steps: [...steps, { index: steps.length, kind: "error", error }],
  };
}

/** A run that ends by handing the user over is a whole run. */
export function handedOver(draft: Draft): Draft {
  const last = draft.steps.findLast((step) => step.kind !== "input");
  if (draft.output !== undefined || last?.kind !== "tool" || last.name !== HANDOVER) return draft;
  if (last.result?.ok !== true) return draft;
  const output = (isObject(last.args) ? own(last.args, "summary") : undefined) ?? last.result.data;
  const step: Step = { index: draft.steps.length, kind: "output", content: output };
  return { ...draft, status: "ok", output, steps: [...draft.steps, step] };
}

/** What the benchmark knows beside the conversation. */
function metaOf(record: JsonObject): JsonObject {
  const info = objectIn(record, "info");
  const task = objectIn(info, "task");
  return {
    ...maybe("task_id", own(record, "task_id")),
    ...maybe("trial", own(record, "trial")),
    ...maybe("instruction", own(task, "instruction")),
    ...maybe("expected_actions", own(task, "actions")),
    ...maybe("expected_outputs", own(task, "outputs")),
    ...maybe("reward_info", own(info, "reward_info")),
  };
}
