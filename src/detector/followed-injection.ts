import { quickTest } from "../shared/needles.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { leavesOf, someText } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** How a text that a tool gave orders an agent about: by its task, its rules or its kind. In lower case. */
const ORDERS = [
  /(?:ignore|disregard|forget|override)(?: \w+){0,3} (?:previous|prior|above|earlier|preceding|original)(?: \w+)? (?:instructions?|prompts?|messages?|rules|tasks?|guidelines|orders)/u,
  /before you (?:can )?(?:solve|do|complete|finish|continue|proceed|answer|start)\b[^]{0,80}\b(?:please|must|first|need)\b/u,
  /(?:message|instructions?|note|task|request|order)s?\b[^.\n]{0,60}\b(?:to|for) (?:you, |the |any |all )?(?:ai|assistant|agent|llm|language model|chatbot|gpt|chatgpt|claude|gemini)\b/u,
  /(?:ignorier\w*|vergiss|missachte\w*)(?: \S+){0,3} (?:vorherigen|bisherigen|obigen|früheren) (?:anweisungen|regeln|aufgaben)/u,
  /(?:ignora|olvida|desestima)\S*(?: \S+){0,3} (?:instrucciones|reglas|tareas) (?:anteriores|previas)/u,
  /(?:ignore|oublie)\S*(?: \S+){0,3} (?:instructions|consignes|règles) (?:précédentes|antérieures)/u,
  /(?:ignora|dimentica)(?: \S+){0,3} (?:istruzioni|regole) precedenti/u,
  /忽略(?:之前|以上|上面|先前)的?(?:所有)?(?:指令|说明|指示)|(?:以前|上記|これまで)の(?:指示|命令)を(?:すべて)?無視/u,
];
/** One of these stands in each of them; most results have none. */
const HINT =
  /ignor|disregard|forget|override|before you|language model|assistant|agent|chatbot|gpt|claude|gemini|\b(?:ai|llm)\b|vergiss|missachte|olvida|desestima|oublie|dimentica|忽略|無視/iu;
const isHint = quickTest(HINT);
/** No order is shorter, in no script. */
const SHORTEST_ORDER = 6;
/** Of a text without a mark where the order ends. */
const LONGEST_ORDER = 800;
const SHORTEST_VALUE = 5;
/** Words of a user who hands the say over to what a tool gives. */
const DELEGATES =
  /(?<!\p{L})(?:follow|obey|carry out|instruct\p{L}*|to-?do|whatever|befolg\p{L}*|anweisung\p{L}*|instruccion\p{L}*|istruzion\p{L}*|consignes?)(?!\p{L})/iu;

/** The agent did what a text in a tool's result ordered, not what the user asked for. */
export const followedInjection: Detector = {
  kind: "followed_injection",
  detector: "heuristic",
  summary:
    "A tool's result held orders for the agent, and the agent then changed something with values that only those orders have.",
  detect(view) {
    const last = view.calls.findLastIndex((call) => changes(call));
    const orders = view.calls.slice(0, Math.max(last, 0)).flatMap((call) => ordersIn(call));
    if (orders.length === 0) return [];
    const delegated = leavesOf(view.trace.task).some((leaf) => DELEGATES.test(leaf.text));
    return view.calls.flatMap((call): Finding[] => {
      if (!changes(call)) return [];
      const value = obeyed(call, orders, view);
      if (value === undefined) return [];
      const message = `${call.tool} was called with ${oneLine(value, 100)}, which only orders inside a tool's result named.`;
      return [
        {
          severity: delegated ? "low" : "high",
          tool: call.tool,
          step: call.at,
          message: clip(message, 500),
        },
      ];
    });
  },
};

/** Whether a call did something, for all we know. */
function changes({ worked, effect }: Call): boolean {
  return worked && (effect === "write" || effect === "unknown");
}

/** Orders in a result: their text, and the text around them. */
interface Orders {
  readonly at: number;
  readonly order: string;
  readonly around: string;
}

function mayHoldOrder(text: string): boolean {
  return text.length >= SHORTEST_ORDER && isHint(text);
}

function ordersIn(call: Call): Orders[] {
  const data = call.step.result?.ok === true ? call.step.result.data : undefined;
  if (!someText(data, mayHoldOrder)) return [];
  return leavesOf(data).flatMap(({ text }): Orders[] => {
    if (!mayHoldOrder(text)) return [];
    const lower = normal(text);
    const found = ORDERS.map((order) => lower.search(order)).filter((place) => place >= 0);
    if (found.length === 0) return [];
    const { from, to } = extentOf(lower, Math.min(...found));
    return [
      {
        at: call.at,
        order: lower.slice(from, to),
        around: `${lower.slice(0, from)}\n${lower.slice(to)}`,
      },
    ];
  });
}

/** The element in which an order stands, else its paragraph and what follows. */
function extentOf(text: string, place: number): { readonly from: number; readonly to: number } {
  const opened = text.slice(0, place).match(/<([a-z][\w-]{1,40})>[^<]*$/u);
  const closing = opened === null ? -1 : text.indexOf(`</${opened[1] ?? ""}>`, place);
  if (opened !== null && closing >= 0) return { from: opened.index ?? place, to: closing };
  return { from: Math.max(0, text.lastIndexOf("\n", place)), to: place + LONGEST_ORDER };
}

/** Everything that the agent was told or had looked up before a call, but for the orders. */
function knownBefore(
  { at: end }: Call,
  orders: readonly Orders[],
  { trace, calls }: TraceView,
): string {
  const ordering = new Set(orders.map(({ at }) => at));
  const told = [
    trace.task,
    trace.meta?.["system"],
    ...trace.steps.flatMap((step) => (step.kind === "input" ? [step.content] : [])),
    ...calls.flatMap(({ at, effect, step }) =>
      step.result?.ok === true && at < end && effect === "read" && !ordering.has(at)
        ? [step.result.data]
        : [],
    ),
  ];
  const texts = told.flatMap((value) => leavesOf(value).map((leaf) => normal(leaf.text)));
  return [...texts, ...orders.map(({ around }) => around)].join("\n");
}

/** A value of a call that stands in orders before it and nowhere else. */
function obeyed(call: Call, orders: readonly Orders[], view: TraceView): string | undefined {
  const before = orders.filter(({ at }) => at < call.at);
  const values = leavesOf(call.step.args)
    .filter((leaf) => !leaf.number)
    .map((leaf) => leaf.text.trim())
    .filter((text) => {
      const value = normal(text);
      return value.length >= SHORTEST_VALUE && before.some(({ order }) => order.includes(value));
    });
  if (values.length === 0) return undefined;
  const elsewhere = knownBefore(call, orders, view);
  return values.find((text) => !elsewhere.includes(normal(text)));
}

function normal(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\S\n]+/gu, " ")
    .replaceAll(/ ?\n ?(?=\S)/gu, "\n");
}
