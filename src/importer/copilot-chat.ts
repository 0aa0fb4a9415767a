import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { addLog } from "./copilot-replay.ts";
import { answered, addParts, addRounds, shownWords } from "./copilot-rounds.ts";
import { askedIn } from "./harness.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { noConversation, sessionTrace } from "./session-trace.ts";

const FORMAT = "copilot-chat";
/** What the button for another try sends. */
const AGAIN = /^(?:@\w+\s+)?try again$/i;

/** Exports of Copilot's chat: `{requests, responderUsername}`, of which each request is a run; and its replays, `{prompts}`. */
export const copilotChat: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isChat(record) || isReplay(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    if (isReplay(record)) return replays(record, about);
    const traces: ImportedTrace[] = [];
    let task: Json | undefined;
    for (const [key, request] of objectsIn(record, "requests").entries()) {
      const asked = askedIn(
        textIn(objectIn(request, "message"), "text") ?? own(request, "message"),
      );
      // Another try has the task of the one before.
      const again = typeof asked === "string" && AGAIN.test(asked.trim()) && task !== undefined;
      if (!again) task = asked;
      const trace = run(request, { record, about, task });
      if (trace !== undefined) traces.push({ ...trace, key });
    }
    return someOf(traces);
  },
};

/** A record in which no run was begun is none. */
function someOf(traces: readonly ImportedTrace[]): readonly ImportedTrace[] {
  if (traces.length === 0) throw noConversation(FORMAT);
  return traces;
}

function replays(record: JsonObject, about: About): readonly ImportedTrace[] {
  const traces: ImportedTrace[] = [];
  for (const [key, prompt] of objectsIn(record, "prompts").entries()) {
    const trace = replayed(prompt, about);
    if (trace !== undefined) traces.push({ ...trace, key });
  }
  return someOf(traces);
}

function isChat(record: JsonObject): boolean {
  const requests = own(record, "requests");
  const named =
    Object.hasOwn(record, "responderUsername") || Object.hasOwn(record, "requesterUsername");
  return (
    named &&
    Array.isArray(requests) &&
    requests.some((request) => isObject(request) && Object.hasOwn(request, "message"))
  );
}

function isReplay(record: JsonObject): boolean {
  const prompts = objectsIn(record, "prompts");
  return prompts.length > 0 && prompts.every((prompt) => Array.isArray(own(prompt, "logs")));
}

interface Around {
  readonly record: JsonObject;
  readonly about: About;
  readonly task: Json | undefined;
}

function run(request: JsonObject, { record, about, task }: Around): ImportedTrace | undefined {
  const session = new Session();
  const result = objectIn(request, "result");
  const metadata = objectIn(result, "metadata");
  const at = epochMs(own(request, "timestamp"));
  if (task !== undefined) session.asked(task, at);
  const rounds = objectsIn(metadata, "toolCallRounds");
  const spoken = rounds.some((round) => answered(round));
  if (spoken) addRounds(session, rounds, objectIn(metadata, "toolCallResults"));
  else addParts(session, objectsIn(request, "response"));
  const error = objectIn(result, "errorDetails");
  if (Object.keys(error).length > 0)
    session.broke({
      name: "RequestError",
      ...maybe("code", textIn(error, "code")),
      message: clip(textIn(error, "message") ?? "the request failed", 1000),
      source: "flag",
    });
  const canceled = own(request, "isCanceled") === true;
  if (canceled) {
    session.noted("interrupted", "");
    session.stopped();
  }
  const total = own(objectIn(result, "timings"), "totalElapsed");
  if (at !== undefined && typeof total === "number" && total >= 0) session.seen(at + total);
  if (!session.begun) return undefined;
  const id = textIn(request, "requestId");
  const imported = sessionTrace(session, {
    format: FORMAT,
    about,
    agent: "copilot",
    id: textIn(metadata, "sessionId") ?? textIn(record, "sessionId"),
    words: spoken || canceled ? undefined : shownWords(objectsIn(request, "response")),
    durationMs: typeof total === "number" && total >= 0 ? total : undefined,
    meta: { ...maybe("request", id), ...maybe("model", textIn(request, "modelId")) },
  });
  return task === undefined && id !== undefined
    ? { ...imported, draft: { ...imported.draft, taskId: taskIdOf({ request: id }) } }
    : imported;
}

function replayed(prompt: JsonObject, about: About): ImportedTrace | undefined {
  const session = new Session();
  const asked = askedIn(own(prompt, "prompt"));
  if (asked !== undefined) session.asked(asked);
  for (const log of objectsIn(prompt, "logs")) addLog(session, log);
  if (!session.begun) return undefined;
  return sessionTrace(session, {
    format: FORMAT,
    about,
    agent: "copilot",
    id: textIn(prompt, "promptId"),
  });
}
