import net from "node:net";
import { failure } from "../shared/error.ts";
import { ambientGuard, ambientState, runGuarded } from "./ambient.ts";
import { patchNetwork, type Target } from "./network-patch.ts";
import { currentHandlers } from "./trial-handlers.ts";

/** A live connection that was refused. */
interface NetworkAttempt {
  readonly host: string;
  readonly port?: number;
  /** The tool that tried, when it is known. */
  readonly tool?: string;
}

export interface NetworkGuard {
  /** What was refused, in order. */
  readonly attempts: NetworkAttempt[];
  /** Runs code that only this guard judges, beside those that judge everything. */
  within<T>(run: () => T): T;
  /** Opens the network again, when no other guard is held. */
  release(): void;
}

/** What all guards of a process share. */
interface Shared {
  readonly guards: Set<Guard>;
  /** Judges of what trials do, one of each realm that runs some. */
  readonly trials: Set<TrialJudge>;
  restore?: () => void;
}

/** Undefined where no trial's code runs. */
type TrialJudge = (target: Target) => { readonly refusal: Error | undefined } | undefined;

interface Guard {
  readonly attempts: NetworkAttempt[];
  readonly allows: (target: Target) => boolean;
  /** Makes the error of a refusal, in the realm of the code that is guarded. */
  readonly refuse: (attempt: NetworkAttempt) => Error;
  /** Whether code has run inside it: then it judges that code only. */
  scoped: boolean;
}

/** The core modules are the host's in every realm (Jest's too), so the state hangs on one of them, not on `globalThis`. */
const SHARED: unique symbol = Symbol.for("twiceshy.network") as never;

function shared(): Shared {
  const holder = net.Socket.prototype as { [SHARED]?: Shared };
  const known = holder[SHARED];
  if (known !== undefined) return known;
  const made: Shared = {
    guards: new Set(),
    trials: new Set(),
  };
  Object.defineProperty(holder, SHARED, { value: made, enumerable: false });
  return made;
}

/**
 * Closes the live network of this process but for the hosts of `allow`: `"api.example.com"`, `"*.example.com"`,
 * `"localhost"` (every loopback address), each also with a port. A refused attempt fails as a broken connection does,
 * later, with the code `E_NETWORK_BLOCKED`. Child processes and worker threads that the code starts are not reached.
 */
export function guardNetwork(
  allow: readonly string[],
  /** Makes an error one of the realm whose code is guarded, so that `instanceof Error` holds there. */
  toRealm = (error: Error): Error => error,
): NetworkGuard {
  const state = shared();
  const refuse = (attempt: NetworkAttempt): Error => toRealm(blocked(attempt, REPLAYED));
  const guard: Guard = { attempts: [], allows: allower(allow), refuse, scoped: false };
  close(state);
  state.guards.add(guard);
  return {
    attempts: guard.attempts,
    within(run) {
      guard.scoped = true;
      return runGuarded(guard, run);
    },
    release() {
      if (state.guards.delete(guard)) openUnused(state);
    },
  };
}

/**
 * Closes the live network to the code of trials, each as its own handlers say, and to nothing else: what a trial may
 * reach it reaches, whatever other guards are held. Gives the function that lets go.
 */
export function guardTrialNetwork(): () => void {
  const state = shared();
  const judge: TrialJudge = trialRefusal;
  close(state);
  state.trials.add(judge);
  return () => {
    if (state.trials.delete(judge)) openUnused(state);
  };
}

function close(state: Shared): void {
  state.restore ??= patchNetwork((target) => refusalOf(state, target));
}

function openUnused(state: Shared): void {
  if (state.guards.size > 0 || state.trials.size > 0) return;
  state.restore?.();
  delete state.restore;
}

function trialRefusal(target: Target): ReturnType<TrialJudge> {
  const network = currentHandlers()?.network;
  if (network === undefined) return undefined;
  if (allower(network.allow)(target)) return { refusal: undefined };
  const tool = network.toolOf?.();
  const refusal = blocked(attemptOf(target, tool), TRIED);
  network.onRefused(refusal, tool);
  return { refusal };
}

/** The error of a refused target; undefined when every guard that judges it lets it through. */
function refusalOf(state: Shared, target: Target): Error | undefined {
  for (const judge of state.trials) {
    const judged = judge(target);
    if (judged !== undefined) return judged.refusal;
  }
  const own = ambientGuard();
  const inside = own !== undefined && isHeld(state, own);
  const judges = [...state.guards].filter((guard) => !guard.scoped || !inside || guard === own);
  if (judges.every((guard) => guard.allows(target))) return undefined;
  const attempt = attemptOf(target, ambientState()?.tool);
  for (const guard of judges) guard.attempts.push(attempt);
  // The last one was made nearest to the code.
  return judges.at(-1)?.refuse(attempt);
}

function isHeld({ guards }: Shared, guard: object): guard is Guard {
  return guards.has(guard as Guard);
}

function attemptOf({ host, port }: Target, tool: string | undefined): NetworkAttempt {
  return {
    host,
    ...(port === undefined ? {} : { port }),
    ...(tool === undefined ? {} : { tool }),
  };
}

const REPLAYED = {
  because: "the live network is closed while an agent is replayed",
  fix: "Call it through an instrumented tool, so that its recorded result is served",
};
const TRIED = {
  because: "the live network is closed in a trial",
  fix: "Call a tool of the world instead",
};

function blocked({ host, port, tool }: NetworkAttempt, { because, fix }: typeof TRIED): Error {
  return failure("E_NETWORK_BLOCKED", {
    to: `reach ${host}${port === undefined ? "" : `:${port}`}${tool === undefined ? "" : ` from the tool ${tool}`}`,
    because,
    fix: `${fix}, or list ${host} under "network"`,
  });
}

const NONE = (): boolean => false;

function allower(allow: readonly string[]): (target: Target) => boolean {
  if (allow.length === 0) return NONE;
  const entries = allow.map((entry) => entry.toLowerCase());
  return ({ host, port }) => {
    const names = [bare(host), ...(isLoopback(host) ? ["localhost"] : [])];
    return names.some((name) =>
      entries.some(
        (entry) => covers(entry, name) || (port !== undefined && covers(entry, `${name}:${port}`)),
      ),
    );
  };
}

function covers(entry: string, name: string): boolean {
  if (entry === "*" || entry === name) return true;
  return entry.startsWith("*.") && name.endsWith(entry.slice(1));
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(?<inner>.*)\]$/, "$<inner>")
    .replace(/\.$/, "");
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3}|.*\.localhost)$/.test(
    bare(host),
  );
}
