import { AsyncResource } from "node:async_hooks";
import { isPromise, type Answer, type Awaitable, type ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import { rebuildError } from "../boundary/tool-error.ts";
import { decode, encode } from "../shared/encode.ts";
import type { Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { committing, divide, valuesOf } from "./committing.ts";
import { nothing, resultOf, WHOLE, type Waiting } from "./delivered.ts";
import { proxyOf } from "./draft.ts";
import { ENDED } from "./ended.ts";
import { internalsOf, type Internals } from "./internals.ts";
import {
  badParameters,
  brokenResult,
  cancelledResult,
  rivalFailed,
  unknownTool,
  lateCall,
} from "./issues.ts";
import { applyTo } from "./nested.ts";
import type { Delivered, Delivery, OpenOptions, OpenWorld } from "./open.ts";
import { returned, thrownOutcome, type Outcome } from "./outcome.ts";
import type { Container } from "./overlay.ts";
import { parseArguments, withoutUndefined } from "./parameters.ts";
import { rivalDraft } from "./rival.ts";
import { insideOf, runTool } from "./running.ts";
import { Store } from "./store.ts";
import { Transaction, TransactionContext, type Host } from "./transaction.ts";
import type { Change, Mutation, World, WorldIssue } from "./world.ts";

const NO_CALLS: readonly string[] = Object.freeze([]);

/** A world during one trial: the queue of its transactions, and what they committed. */
export class OpenedWorld implements OpenWorld, Host {
  clock: Clock;
  readonly mutations: Mutation[] = [];
  readonly store: Store;
  readonly #world: World;
  readonly #internals: Internals;
  #options: OpenOptions;
  #issues: WorldIssue[] | undefined;
  #waiting: Waiting[] | undefined;
  /** Transactions whose tools have answered by a promise, in their order. */
  #running: Set<Transaction> | undefined;
  /** The transaction whose tool runs at this moment, before its first wait. */
  #current: Transaction | undefined;
  #marked: boolean;
  #closed = false;

  constructor(world: World, options: OpenOptions) {
    this.#world = world;
    this.#internals = internalsOf(world);
    this.#marked = this.#internals.marked;
    this.#options = options;
    this.store = new Store(world.state as Container);
    this.clock = options.clock;
  }

  get issues(): readonly WorldIssue[] {
    return (this.#issues ??= []);
  }

  /** A function of its own, made when it is asked for: it would hold on to the world as long as that is kept. */
  get answer(): Answer {
    return (call) => {
      const delivered = this.deliver(call);
      return isPromise(delivered) ? delivered.then(resultOf) : delivered.result;
    };
  }

  deliver(call: ToolCall, delivery: Delivery = WHOLE): Awaitable<Delivered> {
    if (this.#closed) return nothing(cancelledResult(call.tool));
    const around = this.#current ?? (this.#isRunning() ? insideOf(this) : undefined);
    const waits =
      around === undefined &&
      !this.#world.overlap &&
      (this.#isRunning() || this.#waiting !== undefined);
    return waits ? this.#enqueue(call, delivery) : this.#start(call, delivery, around);
  }

  rival(
    change: Readonly<Record<string, Json>> | ((state: never) => void),
    about: ToolCall,
  ): Mutation | undefined {
    if (this.#closed) return undefined;
    const made = rivalDraft(this.store, change, about.tool);
    if ("failed" in made) {
      this.#issue(rivalFailed(about.tool, made.failed));
      return undefined;
    }
    if (made.changes.length === 0) return undefined;
    this.#marked ||= made.marked;
    this.store.commit(made.changes);
    return this.#mutation(about, valuesOf(made.changes), "rival");
  }

  read(pointer: string): Json | undefined {
    return this.store.at(members(pointer));
  }

  initial(pointer: string): Json | undefined {
    return new Store(this.store.root).at(members(pointer));
  }

  snapshot(): Json {
    return structuredClone(this.store.resolve(this.store.root));
  }

  kindOf(tool: string): "read" | "write" | undefined {
    return this.#internals.tools.get(tool)?.kind;
  }

  pending(): readonly string[] {
    if (!this.#isRunning() && this.#waiting === undefined) return NO_CALLS;
    return [...this.#allRunning(), ...(this.#waiting ?? [])].map(({ call }) => call.id);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const transaction of this.#running ?? []) transaction.cancel();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const { cancel } of waiting) cancel();
    // What has ended is kept for its state alone: not with its clock, and the runner that is told.
    this.#options = ENDED;
    this.clock = ENDED.clock;
  }

  /** A call that a tool makes through its own context. */
  callInside(around: Transaction, tool: string, args: unknown): Promise<unknown> {
    const answer = this.#callInside(around, tool, args);
    // A tool that does not await it must not end the process.
    answer.catch(() => undefined);
    return answer;
  }

  async #callInside(around: Transaction, tool: string, args: unknown): Promise<unknown> {
    if (around.over) throw rebuildError(lateCall(tool));
    const id = `${around.call.id}.${++around.calls}`;
    const call = { id, tool, args: withoutUndefined(encode(args)) };
    const { result } = await this.#start(call, WHOLE, around);
    if (result.ok) return decode(result.data);
    throw rebuildError(result.error);
  }

  #isRunning(): boolean {
    return this.#running !== undefined && this.#running.size > 0;
  }

  #allRunning(): Transaction[] {
    const all = [...(this.#running ?? [])];
    for (const transaction of all) all.push(...(transaction.inside ?? []));
    return all;
  }

  #enqueue(call: ToolCall, delivery: Delivery): Promise<Delivered> {
    return new Promise((resolve) => {
      const scope = new AsyncResource("twiceshy.call");
      (this.#waiting ??= []).push({
        call,
        start: () => {
          scope.runInAsyncScope(() => resolve(this.#start(call, delivery, undefined)));
        },
        cancel: () => resolve(nothing(cancelledResult(call.tool))),
      });
    });
  }

  #start(
    call: ToolCall,
    delivery: Delivery,
    around: Transaction | undefined,
  ): Awaitable<Delivered> {
    const tool = this.#internals.tools.get(call.tool);
    if (tool === undefined) return nothing(unknownTool(call.tool));
    const parsed = parseArguments(call, tool, this.#internals);
    if ("refused" in parsed) return nothing(parsed.refused);
    if ("broken" in parsed) {
      this.#issue(badParameters(call.tool, parsed.broken));
      return nothing(brokenResult(call.tool));
    }
    const transaction = new Transaction(call, tool, around ?? this);
    const before = this.#current;
    this.#current = transaction;
    let value: unknown;
    try {
      value = this.#run(transaction, parsed.args);
    } catch (thrown) {
      this.#current = before;
      return this.#end(transaction, thrownOutcome(thrown), delivery);
    }
    this.#current = before;
    if (isPromise(value)) return this.#later(transaction, value, delivery);
    return this.#end(transaction, returned(value, this.#marked), delivery);
  }

  #run(transaction: Transaction, args: unknown): unknown {
    const { tool, draft } = transaction;
    const context = new TransactionContext(transaction);
    return runTool(transaction, () => tool.execute(args, proxyOf(draft.root), context));
  }

  /** A tool that answers by a promise: others wait until it has. */
  #later(
    transaction: Transaction,
    value: Promise<unknown>,
    delivery: Delivery,
  ): Promise<Delivered> {
    const { around, call } = transaction;
    const group =
      around === undefined ? (this.#running ??= new Set()) : (around.inside ??= new Set());
    group.add(transaction);
    return new Promise((resolve) => {
      transaction.cancelled = () => resolve(nothing(cancelledResult(call.tool)));
      const settle = (outcome: () => Outcome): void => {
        if (!transaction.over) resolve(this.#end(transaction, outcome(), delivery));
        group.delete(transaction);
        if (around === undefined) this.#next();
      };
      Promise.resolve(value).then(
        (answer) => settle(() => returned(answer, this.#marked)),
        (thrown: unknown) => settle(() => thrownOutcome(thrown)),
      );
    });
  }

  #next(): void {
    while (!this.#isRunning()) {
      const next = this.#waiting?.shift();
      if (this.#waiting?.length === 0) this.#waiting = undefined;
      if (next === undefined) return;
      next.start();
    }
  }

  /** Judges what the tool did, commits it, and closes the draft. */
  #end(transaction: Transaction, outcome: Outcome, delivery: Delivery): Delivered {
    const { around, call, draft } = transaction;
    if (draft.journal.length === 0 && "result" in outcome) {
      transaction.end();
      return nothing(this.#closed ? cancelledResult(call.tool) : outcome.result);
    }
    const committed = committing(transaction, outcome, delivery);
    transaction.end();
    if (this.#closed) return nothing(cancelledResult(call.tool));
    if (committed.issue !== undefined) this.#issue(committed.issue);
    const { result, changes, cut } = committed;
    if (changes.length === 0) return nothing(result, cut);
    this.#marked ||= committed.marked;
    if (around !== undefined) {
      applyTo(proxyOf(around.draft.root), changes);
      (around.nested ??= []).push(...(transaction.nested ?? []), { call, changes });
      return { result, mutations: [] };
    }
    this.store.commit(changes);
    const mutations =
      transaction.nested === undefined
        ? [this.#mutation(call, valuesOf(changes), "agent")]
        : divide(transaction.nested, call, changes).map(({ by, made }) =>
            this.#mutation(by, made, "agent"),
          );
    return cut === undefined ? { result, mutations } : { result, mutations, cut };
  }

  #mutation(call: ToolCall, changes: readonly Change[], by: "agent" | "rival"): Mutation {
    const { id, tool, args } = call;
    const mutation = { callId: id, tool, args, changes, at: this.clock.now(), by };
    this.mutations.push(mutation);
    this.#options.onMutation?.(mutation);
    return mutation;
  }

  #issue(issue: WorldIssue): void {
    (this.#issues ??= []).push(issue);
    this.#options.onIssue?.(issue);
  }
}
