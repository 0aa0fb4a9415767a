import type { Layer } from "../boundary/boundary.ts";
import type { OpenOptions, OpenWorld } from "../world/open.ts";
import type { World } from "../world/world.ts";

/** What a search puts into a trial beside the user's options. */
export interface TrialHooks {
  /** Put before the faults; `hold` stops the trial's clock until what it returns is called. */
  readonly layer?: (hold: () => () => void) => Layer;
  /** Opens what answers the calls. Default: the world itself. */
  readonly open?: (world: World, options: OpenOptions) => OpenWorld;
}
