import { messageOf } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import type { DraftChange } from "./change-at.ts";
import { changesOf } from "./changes.ts";
import { Draft, proxyOf } from "./draft.ts";
import type { Store } from "./store.ts";

type Rival =
  | { readonly changes: readonly DraftChange[]; readonly marked: boolean }
  | { readonly failed: string };

/** Another client's change on a draft of its own. */
export function rivalDraft(
  store: Store,
  change: Readonly<Record<string, Json>> | ((state: never) => void),
  tool: string,
): Rival {
  const draft = new Draft(store, store.root, tool);
  try {
    const state = proxyOf(draft.root);
    if (typeof change === "function") change(state as never);
    else for (const pointer of Object.keys(change)) put(state, pointer, change[pointer] ?? null);
    const collected = changesOf(draft, store.version);
    if (!("problem" in collected)) return collected;
    const { pointer, found } = collected.problem;
    return { failed: `${found} at ${pointer} is not JSON` };
  } catch (thrown) {
    return { failed: messageOf(thrown) };
  } finally {
    draft.closed = true;
  }
}

function put(state: object, pointer: string, value: Json): void {
  const path = members(pointer);
  const last = path.pop();
  if (last === undefined) throw new Error("the whole state cannot be replaced; name a member");
  let at: unknown = state;
  for (const key of path) {
    at = Object.hasOwn(at as object, key) ? (at as Record<string, unknown>)[key] : undefined;
    if (typeof at !== "object" || at === null)
      throw new Error(`the state has nothing at ${pointer}`);
  }
  const place = at as Record<string, unknown>;
  if (!Array.isArray(at)) place[last] = value;
  else if (last === "-") at.push(value);
  else place[last] = value;
}
