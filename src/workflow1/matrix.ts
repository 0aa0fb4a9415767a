import type { Fault } from "../fault/fault.ts";
import { matrixFaults, type MatrixOptions } from "../fault/matrix.ts";
import { sayFault } from "../fault/words.ts";
import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, canonical, type Json } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Adapter } from "./adapter.ts";
import type { Document, DocumentCheck, DocumentScenario, Matrix } from "./document.ts";
import { worldOf } from "./to-workflow.ts";

type Tools = Pick<Adapter, "tools">;

/**
 * One document for each tool, with every applicable fault. Checks that a scenario of the given document has instead of the workflow's
 * are carried over where the fault is the same. Nothing of the adapter is called, and no document shares a value with another.
 */
export function matrixOfDocument(
  document: Document,
  adapter: Tools,
  options: MatrixOptions = {},
): Matrix {
  const all = matrixFaults(worldOf(document, adapter), options);
  // Without a virtual clock a slow response costs its whole time, and mostly more than a trial may take.
  const isReal = document.clock === undefined && options.faults === undefined;
  const faults = isReal ? all.filter(({ type }) => type !== "slow_response") : all;
  const tools = [...new Set(faults.map(({ tool }) => tool))].sort(byCodeUnit);
  return {
    schemaVersion: "workflow-matrix/1",
    suites: tools.map((tool) => {
      const scenarios = faults
        .filter((fault) => fault.tool === tool)
        .map((fault) => scenarioFor(fault, document));
      return {
        id: suiteId(tool),
        tool,
        kind: adapter.tools[tool]?.kind ?? "read",
        workflow: structuredClone({ ...document, scenarios }),
      };
    }),
  };
}

/** The same as one document: every tool in one run, with one control and one report. */
export function wholeMatrix(
  document: Document,
  adapter: Tools,
  options: MatrixOptions = {},
): Document {
  const { suites } = matrixOfDocument(document, adapter, options);
  const scenarios = suites.flatMap(({ id, workflow }) =>
    (workflow.scenarios ?? []).map((scenario): DocumentScenario => {
      const type = scenario.id.slice("matrix-".length);
      return Object.assign(scenario, { id: `${id}-${type}`.slice(0, 100) });
    }),
  );
  return { ...document, scenarios };
}

function scenarioFor(fault: Fault, document: Document): DocumentScenario {
  const checks = overrideFor(fault, document);
  return {
    id: `matrix-${fault.type}`,
    title: sayFault(fault),
    fault,
    ...(checks === undefined ? {} : { checks: [...checks] }),
  };
}

/** The checks of the scenarios of exactly this fault; two that differ are an error, as nobody could tell which ones count. */
function overrideFor(
  fault: Fault,
  { scenarios = [] }: Document,
): readonly DocumentCheck[] | undefined {
  const own = scenarios.filter(
    (scenario) =>
      scenario.checks !== undefined &&
      scenario.fault !== undefined &&
      selection(scenario.fault as Fault) === selection(fault),
  );
  const [first, ...rest] = own;
  const text = (scenario: DocumentScenario): string =>
    canonical(scenario.checks as unknown as Json);
  const other = rest.find((scenario) => first !== undefined && text(scenario) !== text(first));
  if (first === undefined || other === undefined) return first?.checks;
  throw failure("E_MATRIX_CHECKS", {
    to: `make the scenario ${oneLine(sayFault(fault), 200)}`,
    because: `the scenarios ${oneLine(first.id, 100)} and ${oneLine(other.id, 100)} of that fault have different checks`,
    fix: "Give them the same checks, or leave one out",
  });
}

function selection({ type, tool, occurrence = 1, repeat = 1 }: Fault): string {
  return JSON.stringify([type, tool, occurrence, repeat]);
}

/** A name for the files of a tool's suite, whatever the tool is called. */
export function suiteId(tool: string): string {
  const stem = tool.replace(/[^A-Za-z0-9_-]/g, "-").replace(/^[-_]+/, "");
  return `${stem === "" ? "tool" : stem.slice(0, 60)}-${sha256(tool, 12)}`;
}
