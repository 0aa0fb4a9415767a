// The search for schedules of faults. A door of its own, as it loads fast-check.
export { explore } from "./workflow/explore.ts";
export type { Exploration, ExploreOptions } from "./workflow/explore.ts";
export type { Property } from "./workflow/search.ts";
