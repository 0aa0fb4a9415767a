import type { ReportHeader, TrialRecord } from "./report.ts";
import type { TrialEvent } from "./trial-result.ts";

const KINDS = {
  call: true,
  result: true,
  hidden: true,
  mutation: true,
  fault: true,
  cancelled: true,
  restart: true,
  model: true,
  reasoning: true,
  completion: true,
  error: true,
  limit: true,
} as const satisfies Record<TrialEvent["kind"], true>;

/** Ids are e1, e2, ...; kinds are known; time never goes back; and whatever is about a call comes after that call. */
export function evidenceProblem(
  { events }: TrialRecord,
  { tools }: ReportHeader,
): string | undefined {
  const calls = new Calls(tools);
  let last = Number.NEGATIVE_INFINITY;
  for (const [i, event] of events.entries()) {
    const { id, at, kind } = event;
    if (id !== `e${i + 1}`) return `event ${i + 1} has the id ${JSON.stringify(id)}`;
    if (!Object.hasOwn(KINDS, kind)) return `${id} is of no known kind`;
    if (typeof at !== "number" || at < last) return `${id} is earlier than what came before it`;
    last = at;
    const problem = calls.problem(event);
    if (problem !== undefined) return `${id} ${problem}`;
  }
  return undefined;
}

/** The calls that a trial's evidence has shown so far. */
class Calls {
  readonly #tools: ReadonlyMap<string, "read" | "write">;
  readonly #seen = new Map<string, string>();
  readonly #answered = new Set<string>();

  constructor(tools: ReportHeader["tools"]) {
    this.#tools = new Map(tools.map(({ name, kind }) => [name, kind]));
  }

  problem(event: TrialEvent): string | undefined {
    switch (event.kind) {
      case "call": {
        const { callId, tool } = event;
        if (this.#seen.has(callId)) return "is a call whose id another one has";
        if ((event.write === true) !== (this.#tools.get(tool) === "write"))
          return "says otherwise than the header whether its tool writes";
        this.#seen.set(callId, tool);
        return undefined;
      }
      case "result":
        if (this.#answered.has(event.callId)) return "answers a call that was answered";
        this.#answered.add(event.callId);
        return this.#unknown(event.callId, event.tool);
      case "hidden":
      case "cancelled":
      case "restart":
        return this.#unknown(event.callId, event.tool);
      case "mutation":
        if (event.by === "rival") return this.#unknown(event.callId, event.tool);
        if (event.by !== "agent") return "was made by nobody that is known";
        if (this.#tools.get(event.tool) !== "write")
          return "is a change by a tool that the header does not know to write";
        return this.#unknown(event.callId, event.tool);
      case "fault":
      case "limit":
        return event.callId === undefined ? undefined : this.#unknown(event.callId);
      case "model":
      case "reasoning":
      case "completion":
      case "error":
        break;
    }
    return undefined;
  }

  /** A call that was made inside of another one's tool has an id below that one's, and no event of its own. */
  #unknown(callId: string, tool?: string): string | undefined {
    const made = this.#seen.get(callId);
    if (made !== undefined)
      return tool === undefined || made === tool ? undefined : "names another tool than its call";
    const around = /^(.+?)(?:\.\d+)+$/u.exec(callId)?.[1];
    return around !== undefined && this.#seen.has(around)
      ? undefined
      : "belongs to a call that was not made before";
  }
}
