import type { ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { DraftChange } from "./change-at.ts";
import { Draft } from "./draft.ts";
import type { AnyTool } from "./internals.ts";
import type { Store } from "./store.ts";
import type { ToolContext } from "./world.ts";

/** What a nested call changed in the draft around it. */
export interface NestedChanges {
  readonly call: ToolCall;
  readonly changes: readonly DraftChange[];
}

/** The world that a transaction runs in. */
export interface Host {
  readonly clock: Clock;
  readonly store: Store;
  callInside(around: Transaction, tool: string, args: unknown): Promise<unknown>;
}

/** One delivery of a call: its draft, the calls made inside of it, and how to end it. */
export class Transaction {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  readonly host: Host;
  /** The one whose tool made the call, in the same world. */
  readonly around: Transaction | undefined;
  /** The one in whose tool's code this one was begun, of any world; known while the tool runs. */
  outer: Transaction | undefined;
  readonly draft: Draft;
  /** The layer's version when the draft was made. */
  readonly version: number;
  /** Changes of calls inside that have ended well, in their order. */
  nested: NestedChanges[] | undefined;
  /** Calls inside whose tools have answered by a promise. */
  inside: Set<Transaction> | undefined;
  over = false;
  /** Answers whoever waits, once the tool has answered by a promise. */
  cancelled: (() => void) | undefined;
  /** How many calls its own context made. */
  calls = 0;
  #controller: AbortController | undefined;

  /** `within` is the transaction around, else the world. */
  constructor(call: ToolCall, tool: AnyTool, within: Transaction | Host) {
    const around = within instanceof Transaction ? within : undefined;
    this.call = call;
    this.tool = tool;
    this.host = within instanceof Transaction ? within.host : within;
    this.around = around;
    const { store } = this.host;
    const below = around?.draft ?? store;
    this.version = below.version;
    this.draft = new Draft(below, store.root, call.tool);
  }

  /** Made when the tool asks for it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.over) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Ends it, and what runs inside; nothing of it commits any more. */
  cancel(): void {
    if (this.over) return;
    this.end();
    this.#controller?.abort();
    this.cancelled?.();
  }

  /** Closes the draft; calls inside that nobody awaited are cancelled. */
  end(): void {
    this.over = true;
    this.draft.closed = true;
    if (this.inside !== undefined) for (const inner of this.inside) inner.cancel();
    this.around?.inside?.delete(this);
  }
}

/** What a tool is given; what is seldom asked for is made when it is. */
export class TransactionContext implements ToolContext {
  readonly clock: Clock;
  readonly #transaction: Transaction;

  constructor(transaction: Transaction) {
    this.clock = transaction.host.clock;
    this.#transaction = transaction;
  }

  get signal(): AbortSignal {
    return this.#transaction.signal;
  }

  /** A function of its own, so that a tool may take the context apart. */
  get call(): ToolContext["call"] {
    const transaction = this.#transaction;
    return (tool, args) => transaction.host.callInside(transaction, tool, args ?? {});
  }
}
