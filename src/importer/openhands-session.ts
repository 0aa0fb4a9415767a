import { failure } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
import type { About, Gatherer, ImportedTrace, Importer } from "./importer.ts";
import { own, textIn } from "./member.ts";
import { eventsTrace, isEvent } from "./openhands.ts";

/** Where the events of a session lie: a folder, and what their names begin with before the number. */
interface EventFiles {
  readonly folder: string;
  readonly prefix: string;
  /** The file that describes the session, relative to this one. */
  readonly metadata: string;
}

/**
 * A session of OpenHands with one file an event, and one that describes it. It is one run: it comes from the description
 * when that is read too, else from the first event that is read.
 */
export const openhandsSession: Importer = {
  name: "openhands-events",

  recognises(record: Json): boolean {
    return isDescription(record) || (isEvent(record) && typeof own(record, "id") === "number");
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const described = isDescription(record);
    const files = described ? besideDescription(about.file) : besideEvent(about.file);
    if (!described && files !== undefined && describes(files, about)) throw partOf(files.metadata);
    const names = files === undefined ? [] : eventNames(files, about);
    const first = names.find((name) => about.siblings?.wanted(name) === true);
    if (!described && first !== undefined && first !== baseOf(about.file)) throw partOf(first);
    const events = names.flatMap((name) => {
      const event = about.siblings?.json(name);
      return event !== undefined && isEvent(event) ? [event] : [];
    });
    if (described && events.length === 0) throw noEvents();
    const description = described ? record : about.siblings?.json(files?.metadata ?? "");
    const beside = isObject(description) ? description : {};
    const { draft, warnings } = eventsTrace(events.length > 0 ? events : [record], beside, about);
    const lost = names.length - Math.max(events.length, described ? 0 : 1);
    return [
      {
        draft: { ...draft, source: "openhands-events" },
        warnings: lost > 0 ? [...warnings, `${lost} files beside it hold no event`] : warnings,
      },
    ];
  },

  gather: linesOf,
};

/** Events that are written one a line are one run. */
function linesOf({ file, agent }: Pick<About, "file" | "agent">): Gatherer {
  const events: Json[] = [];
  const lines = file.endsWith(".jsonl");
  return {
    takes: (record) => lines && isEvent(record),
    add(record) {
      events.push(record);
      return [];
    },
    end: () =>
      events.length === 0 ? [] : [() => eventsTrace(events, {}, { file, agent, record: 0 })],
  };
}

function isDescription(record: Json): boolean {
  if (!isObject(record) || textIn(record, "conversation_id") === undefined) return false;
  return Object.hasOwn(record, "created_at") && Object.hasOwn(record, "last_updated_at");
}

/** `metadata.json` describes the folder `events` beside it, `x.metadata.json` the files `x.events-0.json` and so on. */
function besideDescription(file: string): EventFiles | undefined {
  const before = /^(.*)metadata\.json$/.exec(baseOf(file))?.[1];
  if (before === undefined) return undefined;
  return before === ""
    ? { folder: "events", prefix: "", metadata: "metadata.json" }
    : { folder: ".", prefix: `${before}events-`, metadata: `${before}metadata.json` };
}

function besideEvent(file: string): EventFiles | undefined {
  const prefix = /^(.*?)\d+\.json$/.exec(baseOf(file))?.[1];
  if (prefix === undefined) return undefined;
  const before = /^(.*)events-$/.exec(prefix)?.[1];
  return {
    folder: ".",
    prefix,
    metadata: before === undefined ? "../metadata.json" : `${before}metadata.json`,
  };
}

/** The files of a session in the order of their numbers, relative to the file that is read. */
function eventNames({ folder, prefix }: EventFiles, about: About): string[] {
  const numbered = (about.siblings?.names(folder) ?? []).flatMap((name) => {
    const digits = name.startsWith(prefix)
      ? /^(\d+)\.json$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    return digits === undefined ? [] : [{ name, number: Number(digits) }];
  });
  numbered.sort((a, b) => a.number - b.number);
  return numbered.map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

/** Whether the description of the session is read too. */
function describes({ metadata }: EventFiles, { siblings }: About): boolean {
  return siblings?.wanted(metadata) === true && isDescription(siblings.json(metadata) ?? null);
}

function baseOf(file: string): string {
  return file.replaceAll("\\", "/").split("/").at(-1) ?? file;
}

function partOf(owner: string): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the event as a run",
    because: `it is part of a session, which is read from ${owner}`,
    fix: "Nothing is to be done",
  });
}

function noEvents(): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the description of a session as a run",
    because: "no event of the session lies beside it",
    fix: "Keep the folder events beside it",
  });
}
