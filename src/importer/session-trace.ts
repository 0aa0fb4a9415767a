import { failure } from "../shared/error.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Usage } from "../trace/trace.ts";
import type { About, ImportedTrace } from "./importer.ts";
import { maybe } from "./member.ts";
import type { Session } from "./session.ts";

/** What a format knows about a session beside its steps. */
interface SessionFacts {
  readonly format: string;
  readonly about: Pick<About, "agent">;
  /** The program that ran the agent. */
  readonly agent?: string | undefined;
  readonly version?: string | undefined;
  /** The file's own name for the session; stands for the task where nobody asked anything. */
  readonly id?: string | undefined;
  /** Stands for the last words when the steps have none. */
  readonly words?: Json | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  readonly usage?: Usage | undefined;
  readonly task?: Json | undefined;
  readonly meta?: JsonObject;
}

/** A session as a trace. Throws when nothing was asked, said or done in it: such a file only keeps books. */
export function sessionTrace(session: Session, facts: SessionFacts): ImportedTrace {
  if (!session.begun) throw noConversation(facts.format);
  const { steps, task, output, status, startedAt, endedAt, usage, warnings } = session.end(
    facts.words,
  );
  const asked = task ?? facts.task;
  const tools = facts.tools === undefined ? [] : [...new Set(facts.tools)].sort();
  const meta = { ...maybe("conversation", facts.id), ...facts.meta };
  return {
    draft: {
      task: asked ?? null,
      // Runs whose task is unknown are no retries of each other.
      ...(asked === undefined && facts.id !== undefined
        ? { taskId: taskIdOf({ session: facts.id }) }
        : {}),
      agent: facts.about.agent === "agent" ? (facts.agent ?? facts.format) : facts.about.agent,
      agentVersion: facts.version ?? "0",
      source: facts.format,
      status,
      ...maybe("startedAt", startedAt),
      ...maybe("endedAt", endedAt),
      ...maybe("durationMs", facts.durationMs),
      steps,
      ...maybe("output", output),
      ...maybe("tools", tools.length > 0 ? tools : undefined),
      ...maybe("usage", facts.usage ?? usage),
      ...maybe("meta", Object.keys(meta).length > 0 ? meta : undefined),
    },
    warnings: [...(asked === undefined ? ["no message is from the user"] : []), ...warnings],
  };
}

/** A sub-agent's session as a part of the run that started it. */
export function attached(session: Session, facts: JsonObject): JsonObject {
  const { steps, task, output, status } = session.end();
  return {
    ...facts,
    ...maybe("task", task),
    status,
    ...maybe("output", output),
    steps: steps as unknown as Json,
  };
}

/** What is said of lines in which no run was begun. */
export function noConversation(format: string): Error {
  return failure("E_RECORD_ASIDE", {
    to: `read a run from the ${format} lines`,
    because: "nobody asks, says or does anything in them: they only keep counts or states",
    fix: "Nothing is to be done; the session itself is another file",
  });
}
