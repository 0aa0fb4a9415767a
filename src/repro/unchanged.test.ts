import * as fc from "fast-check";
import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { instrument } from "../boundary/instrument.ts";
import { detect, real } from "../detector/detector.ts";
import { toRepro } from "./convert.ts";
import { replay } from "./replay.ts";

/** What an agent does next: one call, calls together, or the same call until it is tired. */
type Move =
  | { readonly do: "call"; readonly tool: string; readonly key: number; readonly swallow: boolean }
  | { readonly do: "together"; readonly tools: readonly string[]; readonly key: number }
  | { readonly do: "again"; readonly tool: string; readonly times: number };

interface Program {
  readonly moves: readonly Move[];
  /** What each tool answers: an error, nothing, or a number. */
  readonly world: Readonly<Record<string, "error" | "empty" | "number" | "flaky">>;
  readonly output: string;
}

const TOOLS = ["search", "get_order", "refund", "send_mail"];
const anyTool = fc.constantFrom(...TOOLS);
const anyProgram: fc.Arbitrary<Program> = fc.record({
  moves: fc.array(
    fc.oneof(
      fc.record({
        do: fc.constant("call" as const),
        tool: anyTool,
        key: fc.nat({ max: 2 }),
        swallow: fc.boolean(),
      }),
      fc.record({
        do: fc.constant("together" as const),
        tools: fc.array(anyTool, { minLength: 2, maxLength: 4 }),
        key: fc.nat({ max: 2 }),
      }),
      fc.record({
        do: fc.constant("again" as const),
        tool: anyTool,
        times: fc.integer({ min: 2, max: 5 }),
      }),
    ),
    { maxLength: 5 },
  ),
  world: fc.record(
    Object.fromEntries(
      TOOLS.map((tool) => [
        tool,
        fc.constantFrom("error" as const, "empty" as const, "number" as const, "flaky" as const),
      ]),
    ),
  ),
  output: fc.constantFrom(
    "The refund was sent successfully.",
    "I cannot do that.",
    "There is nothing.",
    "It is 7.",
    "",
  ),
});

type Tool = (args: { key: number }) => Promise<unknown>;

function liveTools(world: Program["world"]): Record<string, Tool> {
  const counts = new Map<string, number>();
  const tool =
    (name: string): Tool =>
    async ({ key }) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      for (let turn = 0; turn < (key * 7 + count * 3) % 5; turn++) await Promise.resolve();
      const kind = world[name];
      if (kind === "error" || (kind === "flaky" && count === 1))
        throw new TypeError(`${name} ${key} is down`);
      return kind === "empty" ? [] : { key, count };
    };
  return Object.fromEntries(TOOLS.map((name) => [name, tool(name)]));
}

/** A deterministic agent: what it does depends only on what its tools answer. */
function agentOf({ moves, output }: Program) {
  return async (_task: unknown, { tools }: { tools: Record<string, Tool> }): Promise<string> => {
    const seen: unknown[] = [];
    const ask = async (name: string, key: number): Promise<void> => {
      seen.push(await tools[name]?.({ key }));
    };
    for (const move of moves) {
      if (move.do === "call") {
        await ask(move.tool, move.key).catch((error: unknown) => {
          if (!move.swallow) throw error;
        });
      } else if (move.do === "together") {
        await Promise.allSettled(move.tools.map((name, place) => ask(name, move.key + place)));
      } else {
        for (let i = 0; i < move.times; i++) await ask(move.tool, 0).catch(() => undefined);
      }
    }
    return seen.length > 6 ? `${output} ${JSON.stringify(seen.at(-1))}` : output;
  };
}

test("an unchanged agent still fails in its repro's replay, and a healthy one gives no repro", async () => {
  let failing = 0;
  await fc.assert(
    fc.asyncProperty(anyProgram, async (program) => {
      const agent = agentOf(program);
      const trace = await record(agent, "Do it.", {
        tools: liveTools(program.world),
        maxToolCalls: 12,
      });
      const failures = detect(trace);
      fc.pre(real(failures).length > 0);
      failing += 1;
      const conversion = toRepro(trace, failures, { agent: "agent" });
      expect("unproved" in conversion ? conversion.unproved.reason : "proved").toBe("proved");
      if ("unproved" in conversion) return;
      const result = await replay(agent, conversion.repro, conversion);
      expect([result.verdict, result.reason]).toEqual(["still_fails", result.reason]);
    }),
    { numRuns: 100 },
  );
  expect(failing).toBeGreaterThan(30);
});

test("instrumented tools are answered from the cassette, and never run", async () => {
  let runs = 0;
  const tools = instrument({
    refund: async ({ id }: { id: string }): Promise<{ done: string }> => {
      runs += 1;
      throw new Error(`refund of ${id} is down`);
    },
  });
  const agent = async (): Promise<string> => {
    try {
      await tools.refund({ id: "A-1" });
    } catch {
      // Swallowed.
    }
    return "The refund was sent.";
  };
  const trace = await record(agent, "refund", { tools });
  const conversion = toRepro(trace, detect(trace), { agent: "agent" });
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  expect(runs).toBe(1);
  const result = await replay(agent, conversion.repro);
  expect([result.verdict, runs]).toEqual(["still_fails", 1]);
});

test("tools that answer at once do so in the replay, too", async () => {
  const tools = { add: (a: number, b: number): number => a + b };
  const agent = (_task: unknown, context: { tools: typeof tools }): string => {
    const sum = context.tools.add(1, 2);
    if (sum === 3) throw new RangeError("three is too much");
    return `It is ${sum}.`;
  };
  const trace = await record(agent, "add", { tools });
  const conversion = toRepro(trace, detect(trace), { agent: "agent" });
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  const result = await replay(agent, conversion.repro);
  expect([result.verdict, result.signatures]).toEqual(["still_fails", ["exception:RangeError"]]);
});
