import type { JsonObject } from "../shared/json.ts";
import { sidechains, withoutAbandoned } from "./claude-branches.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { usageOf } from "./content.ts";
import type { About, ImportedTrace } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { attached, sessionTrace } from "./session-trace.ts";

/** Where the lines of a session came from. */
interface ClaudeSource {
  readonly format: string;
  readonly about: Pick<About, "agent">;
  /** The lines of a sub-agent that stand in another file. */
  readonly agentLines?: (agent: string, session: string) => readonly JsonObject[];
}

/** A session as a trace: without what was given up, its sub-agents attached. */
export function claudeTrace(lines: readonly JsonObject[], source: ClaudeSource): ImportedTrace {
  const parts = sidechains(withoutAbandoned(lines));
  const alone = parts.main.every((line) => !isTalk(line));
  const main = new ClaudeLines();
  for (const line of alone ? lines : parts.main) main.add(line);
  const agents = alone ? [] : agentsOf(main, { inside: parts.agents, source });
  const first = lines.find((line) => isTalk(line));
  const lone = alone && first !== undefined && own(first, "isSidechain") === true;
  const result = main.result ?? {};
  const denials = objectsIn(result, "permission_denials");
  const duration = own(result, "duration_ms");
  const words = own(result, "is_error") === true ? undefined : textIn(result, "result");
  // Some runs leave nothing but the line with which they ended.
  if (!main.session.begun && words !== undefined) main.session.said(words);
  return sessionTrace(main.session, {
    format: source.format,
    about: source.about,
    agent: "claude-code",
    version: main.version,
    id: main.sessionId,
    words,
    tools: main.tools,
    usage: usageOf(own(result, "usage")),
    durationMs: typeof duration === "number" && duration >= 0 ? duration : undefined,
    task: main.command,
    meta: {
      ...maybe("model", main.model),
      ...maybe("cwd", main.cwd),
      ...maybe("cost", own(result, "total_cost_usd")),
      ...maybe("end", textIn(result, "subtype")),
      ...maybe("permissionDenials", denials.length > 0 ? denials : undefined),
      ...maybe("subagents", agents.length > 0 ? agents : undefined),
      ...maybe("subagentOf", lone ? main.sessionId : undefined),
    },
  });
}

function agentsOf(
  main: ClaudeLines,
  more: {
    readonly inside: ReadonlyMap<string, readonly JsonObject[]>;
    readonly source: ClaudeSource;
  },
): JsonObject[] {
  const found = [...more.inside].map(([id, lines]) => {
    const call = lines
      .map((line) => textIn(line, "parent_tool_use_id"))
      .find((one) => one !== undefined);
    return agent(id, lines, main.started.get(id) ?? call);
  });
  for (const [id, call] of main.started) {
    if (more.inside.has(id)) continue;
    const lines = more.source.agentLines?.(id, main.sessionId ?? "") ?? [];
    if (lines.length > 0) found.push(agent(id, lines, call));
  }
  return found;
}

function agent(id: string, lines: readonly JsonObject[], call: string | undefined): JsonObject {
  const read = new ClaudeLines();
  for (const line of lines) read.add(line);
  return attached(read.session, { id, ...maybe("call", call), ...maybe("model", read.model) });
}

/** Whether somebody speaks in a line. */
function isTalk(line: JsonObject): boolean {
  const type = own(line, "type");
  return (
    (type === "user" || type === "assistant") && Object.keys(objectIn(line, "message")).length > 0
  );
}
