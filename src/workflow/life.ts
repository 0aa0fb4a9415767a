import type { AgentRecorder } from "../agent/agent.ts";
import { isStream } from "../boundary/stream.ts";
import { encode } from "../shared/encode.ts";
import type { Evidence } from "./evidence.ts";
import type { Ending } from "./ending.ts";

/** One invocation of the agent, from its start to its return, its crash or the trial's end. */
export class Life implements AgentRecorder {
  /** Nothing that it does counts any more. */
  over = false;
  /** What it gave by `output`, the last time. */
  said: unknown;
  readonly #evidence: Evidence;
  #controller: AbortController | undefined;
  #aborted = false;
  /** What goes on when the agent does. What the agent waits for holds on to it, and until it is asked for so does this. */
  #going: object | undefined;
  #waiting: WeakRef<object> | undefined;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  /** Runs the agent and tells how it ended, unless that does not matter any more. Never throws. */
  run(agent: () => unknown, end: (ending: Ending) => void): void {
    const threw = (thrown: unknown): void => {
      if (!this.over) end({ kind: "threw", thrown });
    };
    const whole = (value: unknown): void => {
      if (!this.over) end({ kind: "returned", value });
    };
    const returned = (value: unknown): Promise<void> | undefined => {
      if (isStream(value)) return this.#drained(value).then(whole, threw);
      whole(value);
      return undefined;
    };
    try {
      this.#going = Promise.resolve(agent()).then(returned, threw);
    } catch (thrown) {
      threw(thrown);
    }
  }

  /** It is gone when nothing can make the agent go on: from the first time it is asked for, nothing here holds on to it. */
  get waiting(): WeakRef<object> | undefined {
    if (this.#going !== undefined) this.#waiting = new WeakRef(this.#going);
    this.#going = undefined;
    return this.#waiting;
  }

  /** Made when the agent asks for it, as few do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  end(): void {
    this.over = true;
    this.abort();
  }

  model(response: unknown, about: Parameters<AgentRecorder["model"]>[1] = {}): void {
    if (this.over) return;
    const { prompt, model, usage } = about;
    const told = { response, prompt, model, usage };
    const content = encode(
      prompt === undefined && model === undefined && usage === undefined ? response : told,
    );
    this.#evidence.words("model", content);
  }

  reasoning(text: string): void {
    if (!this.over) this.#evidence.words("reasoning", encode(text));
  }

  /** The answer, when it is known before the agent returns; the last one counts. */
  output(value: unknown): void {
    if (!this.over) this.said = value;
  }

  /** Reads a streamed answer to its end: joined when it is text, else its chunks. */
  async #drained(stream: object): Promise<unknown> {
    const chunks: unknown[] = [];
    for await (const chunk of stream as AsyncIterable<unknown>) {
      if (this.over) return undefined;
      chunks.push(chunk);
    }
    return chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks;
  }
}
