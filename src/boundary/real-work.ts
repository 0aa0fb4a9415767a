/** What of Node's list of active handles is looked at here: sockets and child processes. */
interface Handle {
  readonly bytesRead?: unknown;
  readonly bytesWritten?: unknown;
  readonly connecting?: unknown;
  readonly spawnfile?: unknown;
  /** Set for the process's own input and outputs alone: Node makes them when they are first used. */
  readonly fd?: unknown;
  /** Set for the server's end of a connection. */
  readonly server?: unknown;
}

/** Lists that Node has had since its first versions, without a promise to keep them: where one is missing nothing is seen. */
interface Lists {
  _getActiveHandles?(): readonly Handle[];
  _getActiveRequests?(): readonly unknown[];
  getActiveResourcesInfo?(): readonly string[];
}

/**
 * Real work that nobody declared, as far as Node shows it: files, name look-ups, connections that are being made or
 * used, child processes. Work in Node's thread pool that is no file (zlib, `crypto.subtle`, `pbkdf2`), messages between
 * threads and processes, and what a socket of the time before waits for are not seen: those are declared by `clock.real`.
 */
export class RealWork {
  readonly #before: readonly Handle[];
  #old: Set<Handle> | undefined;
  /** How much had passed an open connection when it was given up waiting for it. */
  #idle: WeakMap<Handle, number> | undefined;

  /** Remembers what is open now: that is not the work of the code that comes. */
  constructor() {
    this.#before = handles();
  }

  /** What is under way, as a number that changes when it goes forward; undefined when there is none. */
  progress(): number | undefined {
    const requests = (process as unknown as Lists)._getActiveRequests?.().length ?? 0;
    const open = this.#open();
    if (requests === 0 && open.length === 0) return undefined;
    return open.reduce((sum, handle) => sum + 1 + passed(handle), requests);
  }

  /** From now on what is open counts for work again only when something passes it. */
  giveUp(): void {
    const idle = (this.#idle ??= new WeakMap());
    for (const handle of this.#open()) idle.set(handle, passed(handle));
  }

  #open(): Handle[] {
    const now = handles();
    if (now.length === 0) return [];
    const old = (this.#old ??= new Set(this.#before));
    return now.filter(
      (handle) => works(handle) && !old.has(handle) && this.#idle?.get(handle) !== passed(handle),
    );
  }
}

/** Whether code waits for a turn of the event loop that it asked for itself. */
export function turnsAsked(): boolean {
  return (process as unknown as Lists).getActiveResourcesInfo?.().includes("Immediate") ?? false;
}

function handles(): readonly Handle[] {
  return (process as unknown as Lists)._getActiveHandles?.() ?? [];
}

/** A client's connection (one that is kept for later is not in the list), or a child process. A server waits for its clients. */
function works(handle: Handle): boolean {
  if (typeof handle.spawnfile === "string") return true;
  const socket = typeof handle.bytesRead === "number" && typeof handle.connecting === "boolean";
  if (handle.fd === 0 || handle.fd === 1 || handle.fd === 2) return false;
  return socket && (handle.server === undefined || handle.server === null);
}

function passed(handle: Handle): number {
  return count(handle.bytesRead) + count(handle.bytesWritten);
}

function count(bytes: unknown): number {
  return typeof bytes === "number" ? bytes : 0;
}
