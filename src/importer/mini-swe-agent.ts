import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Score, Step, ToolResult, ToolStep, TraceStatus } from "../trace/trace.ts";
import { callFrom, contentOf, plainText, timeOf, usageOf } from "./content.ts";
import { exitResult } from "./exit-code.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { isMessages } from "./messages.ts";
import { StepList } from "./step-list.ts";
import { resolvedScore, runName } from "./swe-score.ts";

/** The command that ends a run; what it prints is the work. */
const SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
const OLD_SUBMIT = "MINI_SWE_AGENT_FINAL_OUTPUT";
const FENCE = /```(?:mswea_bash_command|bash|sh)[^\S\n]*\n([^]*?)\n?```/;
const OBSERVED =
  /<returncode>(-?\d{1,10})<\/returncode>\s*(?:<output(?:_head)?>\n?([^]*?)\n?<\/output(?:_head|_tail)?>\s*$)?/;

/** A run of mini-swe-agent: a document with a `trajectory_format`, or the bare message list of older releases. */
export const miniSweAgent: Importer = {
  name: "mini-swe-agent",

  recognises(record: Json): boolean {
    if (!isObject(record)) return isMiniSweList(record);
    const format = textIn(record, "trajectory_format");
    return format?.startsWith("mini-swe-agent") === true && Array.isArray(own(record, "messages"));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const document = isObject(record) ? record : {};
    const messages = isObject(record) ? objectsIn(record, "messages") : objectsOf(record);
    const info = objectIn(document, "info");
    const run = new Run();
    for (const message of messages) run.add(message);
    const exit = textIn(info, "exit_status") ?? run.exit;
    const handedIn = (textIn(info, "submission") ?? run.submission)?.trim();
    const id = textIn(document, "instance_id") ?? runName(about.file);
    const named = Object.hasOwn(document, "instance_id");
    // A benchmark wants a patch; outside of one the work lies in the files, and the last words stand for it.
    const instead = named || exit !== "Submitted" ? undefined : run.said;
    const output = handedIn === "" || handedIn === undefined ? instead : handedIn;
    const steps = run.finish(output);
    const score: Score | undefined = resolvedScore(about, id);
    return [
      {
        draft: {
          task: run.task ?? id,
          ...maybe("taskId", named ? taskIdOf({ id }) : undefined),
          agent: about.agent === "agent" ? "mini-swe-agent" : about.agent,
          agentVersion: textIn(info, "mini_version") ?? "0",
          source: "mini-swe-agent",
          status: statusOf(exit, output !== undefined),
          steps,
          ...maybe("output", output),
          ...maybe("score", score),
          tools: ["bash"],
          meta: {
            instance: id,
            ...maybe("exit_status", exit),
            ...metaOf(info),
            ...maybe("system", run.system),
          },
        },
        warnings: [
          ...(run.task === undefined
            ? ["no message is from the user: the name stands for the task"]
            : []),
          ...run.list.unanswered(),
        ],
      },
    ];
  },
};

/** Whether a bare list of messages is a run of an older release: its answers have return codes, or its commands a fence of their own. */
function isMiniSweList(record: Json): boolean {
  if (!isMessages(record)) return false;
  return record.some((message) => {
    const content = own(message, "content");
    if (typeof content !== "string") return false;
    const role = own(message, "role");
    return (
      (role === "user" && /^<returncode>-?\d+<\/returncode>/.test(content)) ||
      (role === "assistant" && content.includes("```mswea_bash_command"))
    );
  });
}

function objectsOf(record: Json): JsonObject[] {
  return Array.isArray(record) ? record.filter((item) => isObject(item)) : [];
}

/** `Submitted` says that the run ended normally, not that the work is right. */
function statusOf(exit: string | undefined, output: boolean): TraceStatus {
  if (exit === undefined || exit === "Submitted") return output ? "ok" : "incomplete";
  return /limit|time|cost/i.test(exit) ? "timeout" : "error";
}

function metaOf(info: JsonObject): JsonObject {
  const model = objectIn(objectIn(info, "config"), "model");
  return {
    ...maybe("model", textIn(model, "model_name")),
    ...maybe("cost", own(objectIn(info, "model_stats"), "instance_cost")),
  };
}

/** The messages of a run, one after the other. */
class Run {
  readonly list = new StepList();
  task: Json | undefined;
  system: string | undefined;
  exit: string | undefined;
  submission: string | undefined;
  said: string | undefined;
  /** Calls of the last reply that have no answer yet, in order. */
  #waiting = new Set<ToolStep>();
  #byId = new Map<string, ToolStep>();

  add(message: JsonObject): void {
    const role = textIn(message, "role");
    const content = own(message, "content");
    if (role === "system") this.system ??= plainText(content);
    else if (role === "assistant") this.#assistant(message);
    else if (role === "tool") this.#answer(message, textIn(message, "tool_call_id"));
    else if (role === "exit") this.#ended(message);
    else if (this.task === undefined && role === "user") {
      this.task = contentOf(content);
      this.list.input(this.task, timeIn(message));
    } else if (this.#waiting.size > 0) this.#answer(message, undefined);
    else this.list.other("feedback", contentOf(content));
  }

  /** The steps, with the output in the place of the call that handed it in. */
  finish(output: string | undefined): Step[] {
    const { steps } = this.list;
    const last = steps.at(-1);
    if (output !== undefined && last?.kind === "tool" && isSubmit(last)) steps.pop();
    if (output !== undefined) this.list.output(output);
    else if (this.exit !== undefined && this.exit !== "Submitted") {
      this.list.error({ name: "MiniSweAgentExit", message: this.exit, source: "flag" });
    }
    return steps;
  }

  #assistant(message: JsonObject): void {
    const at = timeIn(message);
    const response = objectIn(objectIn(message, "extra"), "response");
    const text = plainText(own(message, "content"));
    const calls = callsOf(message, text);
    const said = text.replace(FENCE, "").trim();
    if (said !== "") this.said = said;
    if (said !== "" || calls.length === 0) {
      this.list.model(said === "" ? text : said, {
        ...maybe("name", textIn(response, "model")),
        ...maybe("usage", usageOf(own(response, "usage"))),
        ...maybe("at", at),
      });
    }
    const batch = calls.length > 1 ? this.list.steps.length : undefined;
    this.#waiting = new Set();
    this.#byId = new Map();
    for (const call of calls) {
      const step = this.list.tool({ ...call, at, batch });
      this.#waiting.add(step);
      if (step.id !== undefined) this.#byId.set(step.id, step);
    }
  }

  #answer(message: JsonObject, id: string | undefined): void {
    const named = id === undefined ? undefined : this.#byId.get(id);
    const step = named !== undefined && this.#waiting.has(named) ? named : first(this.#waiting);
    if (step !== undefined) this.#waiting.delete(step);
    const text = plainText(own(message, "content"));
    if (step === undefined) this.list.other("tool_result", text);
    else if (isSubmit(step) && !OBSERVED.test(text)) {
      this.submission = text;
      this.exit = "Submitted";
    } else this.list.answer(step, resultOf(message, step, text));
  }

  #ended(message: JsonObject): void {
    const extra = objectIn(message, "extra");
    this.exit = textIn(extra, "exit_status") ?? "Submitted";
    const content = textIn(message, "content");
    this.submission =
      textIn(extra, "submission") ?? (this.exit === "Submitted" ? content : undefined);
  }
}

function first(steps: ReadonlySet<ToolStep>): ToolStep | undefined {
  for (const step of steps) return step;
  return undefined;
}

function isSubmit({ args }: ToolStep): boolean {
  const command = isObject(args) ? textIn(args, "command") : undefined;
  return command?.includes(SUBMIT) === true || command?.includes(OLD_SUBMIT) === true;
}

function timeIn(message: JsonObject): number | undefined {
  return timeOf(objectIn(message, "extra"));
}

/** Function calls, else the actions that the harness found, else the one in a fence. */
function callsOf(message: JsonObject, text: string): { id?: string; name: string; args: Json }[] {
  const calls = objectsIn(message, "tool_calls").map((call) => {
    const body = objectIn(call, "function");
    return callFrom(body, { id: own(call, "id"), args: own(body, "arguments") });
  });
  if (calls.length > 0) return calls;
  const actions = objectsIn(objectIn(message, "extra"), "actions").flatMap((action) => {
    const command = textIn(action, "command");
    return command === undefined ? [] : [{ name: "bash", args: { command } }];
  });
  if (actions.length > 0) return actions;
  const command = FENCE.exec(text)?.[1]?.trim();
  return command === undefined ? [] : [{ name: "bash", args: { command } }];
}

/** The exit code in its own member, else in the text. */
function resultOf(message: JsonObject, step: ToolStep, text: string): ToolResult {
  const extra = objectIn(message, "extra");
  const observed = OBSERVED.exec(text);
  const code = own(extra, "returncode") ?? (observed === null ? undefined : Number(observed[1]));
  const raw = own(extra, "raw_output");
  const output = typeof raw === "string" ? raw : (observed?.[2] ?? text);
  const exception = textIn(extra, "exception_info");
  if (exception !== undefined) {
    return {
      ok: false,
      error: { message: exception.slice(0, 1000), source: "flag" },
      data: output,
    };
  }
  if (typeof code !== "number") {
    const late = /^The last command .{0,4000}timed out/s.test(text);
    return late
      ? {
          ok: false,
          error: { name: "Timeout", message: "the command timed out", source: "text" },
          data: output,
        }
      : { ok: true, data: output };
  }
  const command = isObject(step.args) ? (textIn(step.args, "command") ?? "") : "";
  return exitResult({ command, code, output });
}
