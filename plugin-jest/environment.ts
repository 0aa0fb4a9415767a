import type { EnvironmentContext, JestEnvironmentConfig } from "@jest/environment";
import type * as environmentNode from "jest-environment-node";
import { guardNetwork, type NetworkGuard } from "../src/boundary/network.ts";
import { isObject } from "../src/shared/json.ts";
import { fromJest } from "./from-jest.ts";
import { settingsFor } from "./handover.ts";

const { TestEnvironment } = fromJest("jest-environment-node") as typeof environmentNode;

/** Where tests find the guard of their file. */
const HANDLE = Symbol.for("twiceshy.environment");
/** What every error of ours carries. */
const MARK = Symbol.for("twiceshy.error");

/**
 * Node's environment with the network refused, for the files that name it. Clocks stay real: a trial binds its own.
 * Hosts that may be reached stand in the configuration, or in `testEnvironmentOptions: { twiceshy: { network: [...] } }`.
 */
export default class TwiceshyEnvironment extends TestEnvironment {
  readonly #network: readonly string[];
  #guard: NetworkGuard | undefined;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const own = config.projectConfig.testEnvironmentOptions["twiceshy"];
    const network: unknown = isObject(own) ? own["network"] : undefined;
    this.#network = Array.isArray(network)
      ? network.map((host) => String(host))
      : settingsFor(context.testPath).network;
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.#guard = guardNetwork(this.#network, (error) => this.#ownError(error));
    Reflect.set(this.global, HANDLE, this.#guard);
  }

  /** The same error as one of the realm: code there may ask for `instanceof Error`. */
  #ownError(error: Error): Error {
    const { Error: RealmError } = this.global as unknown as { readonly Error: ErrorConstructor };
    const own = new RealmError(error.message);
    Object.defineProperty(own, MARK, { value: true });
    return Object.assign(own, { name: error.name, code: Reflect.get(error, "code") });
  }

  override async teardown(): Promise<void> {
    // The core modules are those of Jest itself when files run in its own process.
    this.#guard?.release();
    await super.teardown();
  }
}
