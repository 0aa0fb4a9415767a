// The search for schedules of faults. A door of its own, as it loads fast-check.
import { explore as search } from "./workflow/explore.ts";
import type { Exploration, ExploreOptionsOf } from "./workflow/explore.ts";
import type { TrialOf } from "./workflow/typed.ts";

/** `explore` with the types of the task and the state. */
export const explore = search as unknown as <Task, State>(
  options: ExploreOptionsOf<Task, State>,
  property: (trial: TrialOf<State>) => unknown,
) => Promise<Exploration>;
export type { Exploration, ExploreOptions, ExploreOptionsOf } from "./workflow/explore.ts";
export type { Property } from "./workflow/search.ts";
