import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, ToolStep, TraceStatus } from "../trace/trace.ts";
import { argumentsOf, contentOf, usageOf } from "./content.ts";
import { exitResult } from "./exit-code.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { toolResultOf } from "./tool-result.ts";

/** Actions and observations by which OpenHands keeps its own books; they are no steps of the agent. */
const BOOKKEEPING = new Set(
  `null change_agent_state agent_state_changed recall condensation condensation_request system pause resume stop start
  send_pr push add_task modify_task user_rejected loop_recovery`.split(/\s+/),
);
/** Members of an action's arguments that are not what the tool was asked for. */
const ABOUT_ACTION = new Set(
  `thought blocking hidden confirmation_state is_confirmed impl_source translated_ipython_code include_extra
  kernel_init_code keep_prompt security_risk timeout`.split(/\s+/),
);
/** What the harness says in the user's name to make an agent go on. */
const NUDGE = /^Please continue (?:working on the task|on whatever approach)/;
const FINISHED_WORDS = /^(?:All done! What's next on the agenda\?|Task finished\.?)$/;

/** The events of one run, one after the other. */
export class EventRun {
  readonly list = new StepList();
  task: Json | undefined;
  system: string | undefined;
  tools: string[] | undefined;
  agentClass: string | undefined;
  version: string | undefined;
  finished = false;
  #said: Json | undefined;
  #final: Json | undefined;
  #state: string | undefined;
  #stateReason: string | undefined;
  readonly #calls = new Map<Json, ToolStep>();
  readonly #waiting = new Set<ToolStep>();
  readonly #batches = new Map<string, number>();

  add(event: JsonObject): void {
    const action = textIn(event, "action");
    if (action !== undefined) this.#action(event, action);
    else this.#observation(event, textIn(event, "observation") ?? "null");
  }

  /** Closes the run; what the agent said last counts when it finished with no words of its own, or waits for an answer. */
  end(): { output?: Json; status: TraceStatus } {
    const output = this.#final ?? this.#said;
    if (output !== undefined) this.list.output(output);
    if (this.#state === "error") {
      const message = this.#stateReason ?? "the agent stopped with an error";
      this.list.error({ message: clip(message, 1000), source: "flag" });
      return {
        ...maybe("output", output),
        status: /iteration|budget/i.test(message) ? "timeout" : "error",
      };
    }
    return { ...maybe("output", output), status: output === undefined ? "incomplete" : "ok" };
  }

  #action(event: JsonObject, action: string): void {
    // Events of the resolver are flat.
    const args = isObject(own(event, "args")) ? objectIn(event, "args") : flatArgs(event);
    const at = timeIn(event);
    if (action === "system") this.#system(args);
    if (BOOKKEEPING.has(action)) return;
    if (action === "message") this.#message(event, { args, at });
    else if (action === "finish" || action === "reject") this.#finish(event, args, at);
    else if (action === "think") this.list.reasoning(own(args, "thought"), at);
    else this.#call(event, { action, args, at });
  }

  #message(event: JsonObject, more: { args: JsonObject; at: number | undefined }): void {
    const content = contentOf(own(more.args, "content") ?? own(event, "message"));
    if (own(event, "source") === "user") {
      if (typeof content === "string" && NUDGE.test(content)) return;
      this.task ??= content;
      this.list.input(content, more.at);
      return;
    }
    this.#said = content;
    this.list.model(content, { ...replyOf(event), ...maybe("at", more.at) });
  }

  #finish(event: JsonObject, args: JsonObject, at: number | undefined): void {
    this.finished = true;
    const outputs = objectIn(args, "outputs");
    const words = [
      textIn(args, "final_thought"),
      textIn(args, "thought"),
      textIn(outputs, "content"),
      Object.keys(outputs).length > 0 ? outputs : undefined,
      textIn(outputs, "reason"),
    ].find((word) => word !== undefined);
    const told = textIn(event, "message");
    this.#final =
      words ?? this.#said ?? (told !== undefined && !FINISHED_WORDS.test(told) ? told : undefined);
    if (own(args, "final_thought") !== undefined) this.list.reasoning(own(args, "thought"), at);
  }

  #call(
    event: JsonObject,
    more: { action: string; args: JsonObject; at: number | undefined },
  ): void {
    const { action, args, at } = more;
    this.#said = undefined;
    const made = objectIn(event, "tool_call_metadata");
    const reply = replyOf(event);
    const thought = textIn(args, "thought") ?? textIn(event, "thought");
    if (thought !== undefined) this.list.model(thought, { ...reply, ...maybe("at", at) });
    const id = textIn(made, "tool_call_id");
    const step = this.list.tool({
      name: textIn(made, "function_name") ?? action,
      args: functionArgs(made, id) ?? withoutNotes(args),
      id,
      at,
      batch: this.#batchOf(made),
    });
    const number = own(event, "id");
    if (number !== undefined) this.#calls.set(number, step);
    this.#waiting.add(step);
  }

  /** Calls of one reply were under way together. */
  #batchOf(made: JsonObject): number | undefined {
    const reply = textIn(objectIn(made, "model_response"), "id");
    const total = own(made, "total_calls_in_response");
    if (reply === undefined || typeof total !== "number" || total < 2) return undefined;
    const known = this.#batches.get(reply) ?? this.list.steps.length;
    this.#batches.set(reply, known);
    return known;
  }

  #observation(event: JsonObject, observation: string): void {
    if (observation === "agent_state_changed") {
      const extras = objectIn(event, "extras");
      this.#state = textIn(extras, "agent_state") ?? this.#state;
      this.#stateReason = textIn(extras, "reason");
    }
    if (BOOKKEEPING.has(observation)) return;
    const cause = own(event, "cause");
    // Without a cause, answers come in the order of the calls.
    const step =
      typeof cause === "number" && cause >= 0 ? this.#calls.get(cause) : first(this.#waiting);
    if (step === undefined || step.result !== undefined) {
      const thought = observation === "think" || observation === "finish";
      if (!thought) this.list.other(observation, contentOf(own(event, "content")));
      return;
    }
    this.#waiting.delete(step);
    this.list.answer(step, resultOf(event, { observation, args: step.args }));
  }

  #system(args: JsonObject): void {
    this.system = textIn(args, "content");
    this.agentClass = textIn(args, "agent_class");
    this.version = textIn(args, "openhands_version");
    const names = objectsIn(args, "tools").flatMap(
      (tool) => textIn(objectIn(tool, "function"), "name") ?? [],
    );
    if (names.length > 0) this.tools = [...new Set(names)].sort();
  }
}

function first(steps: ReadonlySet<ToolStep>): ToolStep | undefined {
  for (const step of steps) return step;
  return undefined;
}

function resultOf(event: JsonObject, more: { observation: string; args: Json }): ToolResult {
  const content = contentOf(own(event, "content"));
  const extras = objectIn(event, "extras");
  const code =
    own(objectIn(extras, "metadata"), "exit_code") ??
    own(extras, "exit_code") ??
    own(event, "exit_code");
  const text = typeof content === "string" ? content : JSON.stringify(content);
  if (typeof code === "number" && Number.isInteger(code)) {
    const command = isObject(more.args) ? (textIn(more.args, "command") ?? "") : "";
    return exitResult({ command, code, output: text });
  }
  if (more.observation === "error" || own(event, "success") === false)
    return toolResultOf(content, true);
  if (text.startsWith("ERROR:")) {
    const message = clip(text.split("\n").slice(0, 3).join(" ").slice("ERROR:".length).trim(), 300);
    return { ok: false, error: { message, source: "text" }, data: content };
  }
  return toolResultOf(content, own(extras, "error") === true || own(extras, "isError") === true);
}

/** The arguments as the model wrote them. */
function functionArgs(made: JsonObject, id: string | undefined): Json | undefined {
  for (const choice of objectsIn(objectIn(made, "model_response"), "choices")) {
    const calls = objectsIn(objectIn(choice, "message"), "tool_calls");
    const call = calls.find((one) => id !== undefined && own(one, "id") === id);
    const args = call === undefined ? undefined : own(objectIn(call, "function"), "arguments");
    if (args !== undefined) return argumentsOf(args);
  }
  return undefined;
}

function withoutNotes(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => !ABOUT_ACTION.has(name) && value !== null),
  );
}

/** The arguments of an event that keeps them beside its name. */
function flatArgs(event: JsonObject): JsonObject {
  const around = new Set([
    "action",
    "id",
    "timestamp",
    "source",
    "message",
    "cause",
    "tool_call_metadata",
  ]);
  return Object.fromEntries(Object.entries(event).filter(([name]) => !around.has(name)));
}

/** Model and token counts of the reply that an action came from. */
function replyOf(event: JsonObject): {
  name?: string;
  usage?: NonNullable<ReturnType<typeof usageOf>>;
} {
  const response = objectIn(objectIn(event, "tool_call_metadata"), "model_response");
  return {
    ...maybe("name", textIn(response, "model")),
    ...maybe("usage", usageOf(own(response, "usage"))),
  };
}

function timeIn(event: JsonObject): number | undefined {
  return epochMs(own(event, "timestamp"));
}
