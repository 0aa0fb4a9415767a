import type { JsonObject } from "../shared/json.ts";
import { objectIn, own, textIn } from "./member.ts";
import { blocks } from "./content.ts";

/** A line of a session with what it says about its place. */
interface Node {
  readonly line: JsonObject;
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly kind: "prompt" | "reply" | "other";
}

/**
 * The lines of a session without those that were given up: where the user asked again from an earlier place, only the
 * branch of the last line stays. Replies and results that hang beside each other, as those of parallel calls do, stay all.
 */
export function withoutAbandoned(lines: readonly JsonObject[]): readonly JsonObject[] {
  const nodes = lines.map((line) => nodeOf(line));
  const gone = new Set<string>();
  const last = nodes.findLast(({ id, kind }) => id !== undefined && kind !== "other")?.id;
  const live = ancestors(nodes, last);
  for (const prompts of forks(nodes)) {
    if (!prompts.some((id) => live.has(id))) continue;
    for (const id of prompts) if (!live.has(id)) gone.add(id);
  }
  if (gone.size === 0) return lines;
  // A child stands behind its parent.
  return nodes
    .filter(({ id, parent }) => {
      const given =
        (id !== undefined && gone.has(id)) || (parent !== undefined && gone.has(parent));
      if (given && id !== undefined) gone.add(id);
      return !given;
    })
    .map(({ line }) => line);
}

function nodeOf(line: JsonObject): Node {
  const type = own(line, "type");
  const results = blocks(own(objectIn(line, "message"), "content"), "tool_result");
  const prompt = type === "user" && own(line, "isMeta") !== true && results.length === 0;
  return {
    line,
    id: textIn(line, "uuid"),
    parent: textIn(line, "parentUuid") ?? textIn(line, "logicalParentUuid"),
    kind: prompt ? "prompt" : type === "assistant" ? "reply" : "other",
  };
}

/** The ids of a line and of all lines that it goes back to. */
function ancestors(nodes: readonly Node[], leaf: string | undefined): ReadonlySet<string> {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const found = new Set<string>();
  for (let id = leaf; id !== undefined && !found.has(id); id = parents.get(id)) found.add(id);
  return found;
}

/** Questions with one parent, where there are several. */
function forks(nodes: readonly Node[]): string[][] {
  const children = new Map<string, string[]>();
  for (const { id, parent, kind } of nodes) {
    if (id === undefined || parent === undefined || kind !== "prompt") continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  return [...children.values()].filter((siblings) => siblings.length > 1);
}

/** The lines of sub-agents that stand among those of a session, by sub-agent. */
export function sidechains(lines: readonly JsonObject[]): {
  readonly main: readonly JsonObject[];
  readonly agents: ReadonlyMap<string, readonly JsonObject[]>;
} {
  const main: JsonObject[] = [];
  const agents = new Map<string, JsonObject[]>();
  const roots = new Map<string, string>();
  for (const line of lines) {
    const key = agentOf(line, roots);
    if (key === undefined) main.push(line);
    else {
      const known = agents.get(key);
      if (known === undefined) agents.set(key, [line]);
      else known.push(line);
    }
  }
  return { main, agents };
}

/** The sub-agent that a line belongs to: named, or told by the call that started it, or by the line with which it began. */
function agentOf(line: JsonObject, roots: Map<string, string>): string | undefined {
  const call = textIn(line, "parent_tool_use_id");
  if (call !== undefined) return call;
  if (own(line, "isSidechain") !== true) return undefined;
  const named = textIn(line, "agentId");
  if (named !== undefined) return named;
  const id = textIn(line, "uuid") ?? "";
  const parent = textIn(line, "parentUuid");
  const root = (parent === undefined ? undefined : roots.get(parent)) ?? id;
  roots.set(id, root);
  return root;
}
