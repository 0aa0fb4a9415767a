import { runInContext } from "node:vm";
import { builtinEnvironments, type Environment } from "vitest/runtime";
import { guardNetwork } from "../src/boundary/network.ts";

/** What the plugin hands over by `environmentOptions.twiceshy`. */
interface EnvironmentOptions {
  readonly network?: readonly string[];
}

/** Where tests find the guard of their worker. */
const HANDLE = Symbol.for("twiceshy.environment");

function enter(realm: object, options: Record<string, unknown>): () => void {
  const own = options["twiceshy"] as EnvironmentOptions | undefined;
  const guard = guardNetwork(own?.network ?? []);
  Reflect.set(realm, HANDLE, guard);
  return () => {
    guard.release();
    Reflect.deleteProperty(realm, HANDLE);
  };
}

/**
 * Node's environment with the network refused. Clocks stay real here: Vitest takes its own timers after this.
 * Set up once per worker when files share one, so it keeps no state of a file.
 */
const environment: Environment = {
  name: "twiceshy",
  viteEnvironment: "ssr",
  async setup(realm: typeof globalThis, options) {
    const base = await builtinEnvironments.node.setup(realm, options);
    const leave = enter(realm, options);
    return {
      async teardown(realm: typeof globalThis) {
        leave();
        await base.teardown(realm);
      },
    };
  },
  async setupVM(options) {
    const base = await builtinEnvironments.node.setupVM?.(options);
    if (base === undefined) throw new TypeError("Vitest's node environment has no setupVM");
    // The sandbox object is not the realm's global: its own members are missing there.
    const leave = enter(runInContext("globalThis", base.getVmContext()) as object, options);
    return {
      getVmContext: () => base.getVmContext(),
      async teardown() {
        leave();
        await base.teardown();
      },
    };
  },
};

export default environment;
