import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolStep } from "../trace/trace.ts";
import { argumentsOf, contentOf, plainText, usageOf } from "./content.ts";
import { toolAnswer } from "./claude-result.ts";
import { functionAnswer } from "./function-response.ts";
import { askedIn, slashCommand } from "./harness.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectsIn, own, textIn, textsIn } from "./member.ts";
import { Session } from "./session.ts";
import { namedError } from "./tool-error.ts";

const CALLS = new Set<Json | undefined>(["tool_use", "server_tool_use", "mcp_tool_use"]);
/** Lines by which the program keeps its own books. */
const BOOKKEEPING = new Set<Json | undefined>(
  `progress queue-operation file-history-snapshot summary ai-title custom-title agent-name tag last-prompt pr-link
  permission-mode mode stream_event control_request control_response control_cancel_request keep_alive
  rate_limit_event tool_progress auth_status tool_use_summary streamlined_text worktree-state`.split(
    /\s+/,
  ),
);
const SYSTEM_NOTES = new Set([
  "compact_boundary",
  "microcompact_boundary",
  "api_error",
  "model_refusal",
]);
const INTERRUPTED = "[Request interrupted by user";
/** The model that the program names for what it says itself. */
const SYNTHETIC = "<synthetic>";

/** The lines of one agent of Claude Code or its SDK, one after the other. */
export class ClaudeLines {
  readonly session = new Session();
  tools: string[] | undefined;
  version: string | undefined;
  sessionId: string | undefined;
  /** The line with which an SDK stream ends. */
  result: JsonObject | undefined;
  model: string | undefined;
  cwd: string | undefined;
  /** Sub-agents by the call that started them. */
  readonly started = new Map<string, string>();
  #command: string | undefined;

  add(line: JsonObject): void {
    this.sessionId ??= textIn(line, "sessionId") ?? textIn(line, "session_id");
    this.version ??= textIn(line, "version");
    this.cwd ??= textIn(line, "cwd");
    const type = own(line, "type");
    const at = epochMs(own(line, "timestamp"));
    if (type === "assistant") this.#assistant(line, at);
    else if (type === "user") this.#user(line, at);
    else if (type === "system") this.#system(line);
    else if (type === "result") this.#result(line);
    else if (type === "attachment") this.#attachment(line, at);
    else if (!BOOKKEEPING.has(type)) this.session.noted(textIn(line, "type") ?? "line", line);
  }

  /** The command that stands for the task where nobody asked in words. */
  get command(): string | undefined {
    return this.#command;
  }

  #assistant(line: JsonObject, at: number | undefined): void {
    const message = messageIn(line);
    const model = textIn(message, "model");
    const content = own(message, "content");
    if (own(line, "isApiErrorMessage") === true) {
      const error = namedError(plainText(content));
      this.session.broke({ ...error, name: error.name ?? "ApiError", source: "flag" });
      return;
    }
    if (model === SYNTHETIC) return;
    this.model ??= model;
    const reply = textIn(message, "id") ?? textIn(line, "uuid");
    const usage = usageOf(own(message, "usage"));
    this.session.used(reply ?? `reply ${this.session.list.steps.length}`, usage);
    const more = { ...maybe("name", model), ...maybe("usage", usage), ...maybe("at", at) };
    for (const block of blocksOf(content)) {
      const type = own(block, "type");
      if (type === "thinking") this.session.thought(textIn(block, "thinking"), at);
      else if (type === "redacted_thinking") this.session.seen(at);
      else if (CALLS.has(type)) {
        const args = argumentsOf(own(block, "input"));
        const name = textIn(block, "name") ?? "unknown";
        this.session.called({ id: textIn(block, "id"), name, args, at, ...maybe("group", reply) });
      } else if (typeof type === "string" && type.endsWith("tool_result"))
        this.#answer(block, line);
      else this.#said(block, more);
    }
  }

  #said(block: JsonObject, more: Parameters<Session["said"]>[1]): void {
    const content = contentOf([block]);
    if (content !== "") this.session.said(content, more);
  }

  #user(line: JsonObject, at: number | undefined): void {
    const message = messageIn(line);
    const content = own(message, "content");
    if (own(line, "isCompactSummary") === true) {
      this.session.noted("compaction", contentOf(content));
      return;
    }
    const blocks = blocksOf(content);
    for (const block of blocks) {
      if (isResult(block)) this.#answer(block, line);
    }
    const harness = ["isMeta", "isVisibleInTranscriptOnly", "isSynthetic", "isReplay"];
    if (harness.some((flag) => own(line, flag) === true)) return;
    const said = blocks.filter((block) => !isResult(block));
    this.#asked(said.length === 0 ? undefined : [...said], at);
  }

  #asked(content: Json | undefined, at: number | undefined): void {
    const asked = askedIn(content);
    if (typeof asked === "string" && asked.startsWith(INTERRUPTED)) {
      this.session.noted("interrupted", asked);
      this.session.stopped();
      return;
    }
    if (asked === undefined) this.#command ??= slashCommand(content);
    else this.session.asked(asked, at);
  }

  #answer(block: JsonObject, line: JsonObject): void {
    const id = textIn(block, "tool_use_id");
    const told = own(line, "toolUseResult") ?? own(line, "tool_use_result");
    const agent = isObject(told) ? textIn(told, "agentId") : undefined;
    if (agent !== undefined && id !== undefined) this.started.set(agent, id);
    const given = own(block, "content");
    const content = contentOf(functionAnswer(given) ?? given);
    const result = (step: ToolStep) =>
      toolAnswer(step, { content, flagged: own(block, "is_error") === true, told });
    this.session.answered({ id, content, result }, epochMs(own(line, "timestamp")));
  }

  /** What the user typed while the agent was at work. */
  #attachment(line: JsonObject, at: number | undefined): void {
    const attachment = own(line, "attachment");
    if (!isObject(attachment) || own(attachment, "type") !== "queued_command") return;
    this.#asked(own(attachment, "prompt"), at);
  }

  #system(line: JsonObject): void {
    const subtype = textIn(line, "subtype");
    if (subtype === "init") {
      this.sessionId = textIn(line, "session_id") ?? this.sessionId;
      this.tools = textsIn(line, "tools");
      this.model ??= textIn(line, "model");
      this.version ??= textIn(line, "claude_code_version");
    } else if (subtype !== undefined && SYSTEM_NOTES.has(subtype)) {
      this.session.noted(subtype, own(line, "content") ?? own(line, "error") ?? null);
    }
  }

  #result(line: JsonObject): void {
    this.result = line;
    const subtype = textIn(line, "subtype") ?? "success";
    const failed = own(line, "is_error") === true || subtype.startsWith("error");
    if (!failed) return;
    const errors = (textsIn(line, "errors") ?? []).join("\n");
    const message = textIn(line, "result") ?? (errors === "" ? subtype : errors);
    const limit = subtype.startsWith("error_max");
    this.session.broke(
      {
        name: limit ? "LimitReached" : "ResultError",
        message: clip(message, 1000),
        source: "flag",
      },
      limit,
    );
  }
}

function messageIn(line: JsonObject): JsonObject {
  const message = own(line, "message");
  return isObject(message) ? message : { content: message ?? null };
}

function blocksOf(content: Json | undefined): JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return objectsIn(
    {
      content: content.map((part) =>
        typeof part === "string" ? { type: "text", text: part } : part,
      ),
    },
    "content",
  );
}

function isResult(block: JsonObject): boolean {
  const type = own(block, "type");
  return typeof type === "string" && type.endsWith("tool_result");
}
