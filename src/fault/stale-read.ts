import { canonical, isObject, same, type Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { namesOf, numberOf } from "./own.ts";
import { mapMembers } from "./place.ts";
import { WAS_ERROR } from "./reshaping.ts";

/** An earlier answer. */
interface Snapshot {
  readonly callId: string;
  readonly data: Json;
}

export const staleRead = {
  type: "stale_read",
  label: "stale read",
  summary:
    "The read is carried out, but the agent gets the answer of its first read with the same arguments, from before what was written since.",
  appliesTo: ["read"],
  fields: { ignore: "names" },
  matrix: false,
  occurrence: 2,
  per: "arguments",
  commits: "none",
  problems: (fault) =>
    numberOf(fault, "occurrence", 2) + numberOf(fault, "repeat", 1) - 1 < 2
      ? [
          "occurrence: the first read has no earlier one, so the fault can never be reached; use 2 or more",
        ]
      : [],
  arm(fault, { arena, selects }) {
    const ignored = namesOf(fault, "ignore").map((pointer) => members(pointer));
    const snapshots = new Map<string, Snapshot>();
    return (call, next) =>
      after(next(call), (fresh) => {
        const occurrence = selects(call);
        const key = canonical(call.args);
        const earlier = snapshots.get(key);
        if (earlier === undefined && fresh.ok)
          snapshots.set(key, { callId: call.id, data: structuredClone(fresh.data) });
        if (occurrence === undefined) return fresh;
        if (!fresh.ok || earlier === undefined) {
          arena.missed(
            call,
            fresh.ok ? "there was no earlier answer to equal arguments" : WAS_ERROR,
          );
          return fresh;
        }
        if (same(without(fresh.data, ignored), without(earlier.data, ignored))) {
          arena.missed(call, "its result was equal to the earlier one");
          return fresh;
        }
        arena.hidden(call, fresh);
        arena.reached(call, { occurrence, sourceCallId: earlier.callId });
        return { ok: true, data: structuredClone(earlier.data) };
      });
  },
} as const satisfies FaultType;

/** A copy without the values at these places; `*` stands for any item or member. */
function without(data: Json, places: readonly (readonly string[])[]): Json {
  return places.reduce<Json>((left, place) => drop(left, place), data);
}

function drop(data: Json, place: readonly string[]): Json {
  const [key, ...rest] = place;
  if (key === undefined) return null;
  if (Array.isArray(data))
    return data.map((item, at) => (key === "*" || key === String(at) ? drop(item, rest) : item));
  if (!isObject(data)) return data;
  return mapMembers(data, (member, name) =>
    key === "*" || key === name ? drop(member, rest) : member,
  );
}
