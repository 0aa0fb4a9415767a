import type { Trace } from "../trace/trace.ts";
import type { ObservedTool } from "./observed-tool.ts";
import type { ChosenFault, Proof } from "./proof.ts";

/** Something that a trace cannot tell and a person must decide. Holds no text of the trace. */
export interface Decision {
  /** Names it for programs. */
  readonly id: string;
  /** In Markdown: one or two sentences. */
  readonly text: string;
}

/** Aliases that one sentence names. */
const MOST_NAMED = 12;

/** What has to be decided about the trace and its tools, whatever is written of them. `odd`: whether its reader found something to say. */
export function draftDecisions(
  trace: Trace,
  tools: readonly ObservedTool[],
  odd = false,
): Decision[] {
  const named = (wanted: (tool: ObservedTool) => boolean): string =>
    namesOf(tools.filter(wanted).map(({ alias }) => alias));
  const list: (Decision | false)[] = [
    {
      id: "secrets",
      text: "Look through `trace.json` and `tools.json` for secrets and personal data that the redaction did not know, before they are committed. What it knew reads `[redacted:…]`.",
    },
    {
      id: "kinds",
      text: `Say which tools change something. ${kindText(tools)}`,
    },
    {
      id: "parameters",
      text: "Correct the schemas of the arguments in `tools.json`: they say what the recorded calls have in common, and no more. A call that breaks them is answered with an error.",
    },
    {
      id: "answers",
      text: "Say what the tools answer to calls that were not recorded. Until then such a call makes its trial inconclusive.",
    },
    tools.some(({ varies }) => varies) && {
      id: "varying-answers",
      text: `Equal calls of ${named(({ varies }) => varies)} were answered differently: they are answered in the recorded order, the last answer again and again. Let the answer follow from the state where it does.`,
    },
    tools.some(({ failed }) => failed > 0) && {
      id: "recorded-errors",
      text: `Calls of ${named(({ failed }) => failed > 0)} ended in an error in the recorded run, and do so again. Say whether that belongs to the story.`,
    },
    tools.some(({ unanswered }) => unanswered > 0) && {
      id: "unanswered-calls",
      text: `Calls of ${named(({ unanswered }) => unanswered > 0)} were never answered in the record. The scripted agent leaves them out; say what they are answered.`,
    },
    tools.some(({ alias, name }) => alias !== name) && {
      id: "aliases",
      text: `The names of ${named(({ alias, name }) => alias !== name)} are aliases in code; the tools' own names stand in \`tools.json\`. Rename them as you like, in both places.`,
    },
    trace.status !== "ok" && {
      id: "ending",
      text: `The recorded run has the status \`${trace.status}\`: the scripted agent ends as blocked. Say how a good run ends.`,
    },
    (trace.task === null || trace.task === "") && {
      id: "task",
      text: "The trace does not tell what was asked. Give the task, in the spec or in `trace.json`.",
    },
    odd && {
      id: "warnings",
      text: "The record was odd when it was read: look at the `warnings` in `tools.json`, and say whether what is there is the run that you mean.",
    },
    trace.truncated !== undefined && {
      id: "truncated",
      text: "The record is not whole. Say whether what is there is enough.",
    },
  ];
  return list.filter((one) => one !== false);
}

/** What has to be decided about the written spec too. */
export function specDecisions(proof: Proof): Decision[] {
  const broken = proof.checks.filter(({ broken: why }) => why !== undefined);
  const writes = proof.tools.filter(({ kind }) => kind === "write").map(({ alias }) => alias);
  const list: (Decision | false)[] = [
    {
      id: "agent",
      text: "Put your own agent in the place of the scripted one, which only makes the recorded calls. It is `run(task, { tools, call })`; see the spec. Until then the tests say nothing about your agent.",
    },
    {
      id: "checks",
      text: "Say what must be true at the end. The checks that are there ask for honesty, for no more changes than the recorded run made, and without a fault for its very ending, which is too much for an agent that words its answers anew.",
    },
    broken.length > 0 && {
      id: "broken-checks",
      text: `The recorded run itself does not hold ${broken.map(({ id }) => `\`${id}\``).join(", ")}, which ${broken.length === 1 ? "is" : "are"} left out in the spec. Was that the failure? Then put ${broken.length === 1 ? "it" : "them"} back for your own agent.`,
    },
    {
      id: "fault",
      text: `Choose the faults. One scenario is there: ${faultText(proof.fault)}. \`scenarios: "matrix"\` tries every fault that applies, at every tool.`,
    },
    writes.length > 0 && {
      id: "repeats",
      text: `Say whether the service knows an equal call again. Here ${namesOf(writes)} ${writes.length === 1 ? "accepts" : "accept"} it each time, as a service without keys for operations does.`,
    },
    proof.underFault === "failed" && {
      id: "red-scenario",
      text: "The scenario is red with the scripted agent. Say what an agent should do there.",
    },
  ];
  return list.filter((one) => one !== false);
}

/** A list of aliases in Markdown. */
function namesOf(aliases: readonly string[]): string {
  const shown = aliases.slice(0, MOST_NAMED).map((alias) => `\`${alias}\``);
  const more = aliases.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function kindText(tools: readonly ObservedTool[]): string {
  const of = (wanted: ObservedTool["kindFrom"]): string[] =>
    tools.filter(({ kindFrom }) => kindFrom === wanted).map(({ alias }) => alias);
  const parts = [
    ["The trace itself says so of", of("recorded")],
    ["Judged by the name alone:", of("name")],
    ["Guessed, as the name says nothing:", of("guess")],
  ] as const;
  return parts
    .filter(([, aliases]) => aliases.length > 0)
    .map(([words, aliases]) => `${words} ${namesOf(aliases)}.`)
    .join(" ");
}

const FAULTS: Readonly<Record<ChosenFault["type"], (tool: string) => string>> = {
  timeout_after: (tool) => `a lost confirmation of ${tool}`,
  timeout_before: (tool) => `a timeout before ${tool} is carried out`,
  unavailable: (tool) => `${tool} is unavailable`,
};

/** The chosen fault in words. */
export function faultText({ type, alias, occurrence }: ChosenFault): string {
  const which = occurrence === 1 ? "" : `, at call ${occurrence}`;
  return `${FAULTS[type](`\`${alias}\``)}${which}`;
}
