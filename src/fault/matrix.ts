import { failure, type TwiceshyError } from "../shared/error.ts";
import { byCodeUnit } from "../shared/json.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { World } from "../world/world.ts";
import type { Fault, FaultType } from "./fault.ts";
import { faultTypes } from "./known.ts";

export { faultTypes } from "./known.ts";

/** What a matrix is made of. */
export interface MatrixOptions {
  /** Names of tools. Default: all. */
  readonly tools?: readonly string[];
  /** Fault types. Default: those that any call can reach and that need no payload. */
  readonly faults?: readonly string[];
}

/** What of a world a matrix looks at; nothing of it is run. */
type Inventory = Pick<World, "tools" | "rival">;

/**
 * Every applicable fault at every tool, tools by name. Stale reads, injections and what depends on the data are there when asked for; a lost
 * confirmation and another client's change are only ever made for writes. An unknown or a repeated name, and a choice that leaves nothing, are errors.
 */
export function matrixFaults(world: Inventory, options: MatrixOptions = {}): Fault[] {
  const known = Object.keys(world.tools);
  if (options.tools !== undefined) assertChoice("tool", options.tools, known);
  if (options.faults !== undefined)
    assertChoice("fault type", options.faults, [...faultTypes().keys()]);
  const tools = [...(options.tools ?? known)].sort(byCodeUnit);
  const types = [...faultTypes().values()].filter((type) =>
    options.faults === undefined
      ? type.matrix !== false && (type.matrix !== "if-rival" || world.rival !== undefined)
      : options.faults.includes(type.type),
  );
  const faults = tools.flatMap((tool) =>
    types
      .filter((type) => fits(type, world.tools[tool]?.kind))
      .map(({ type, sample }): Fault => Object.assign({ type, tool }, sample)),
  );
  if (faults.length === 0) throw nothingLeft(options, known);
  return faults;
}

function fits({ appliesTo, matrix }: FaultType, kind: "read" | "write" | undefined): boolean {
  if (kind === undefined || !appliesTo.includes(kind)) return false;
  return kind === "write" || (matrix !== "writes" && matrix !== "if-rival");
}

function assertChoice(what: string, chosen: readonly string[], known: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of chosen) {
    const shown = oneLine(JSON.stringify(name), 80);
    if (!known.includes(name)) {
      const meant = nearest(name, known);
      throw failure("E_MATRIX_CHOICE", {
        to: "make the matrix",
        because: `there is no ${what} ${shown}`,
        fix:
          meant === undefined
            ? `Use some of ${known.join(", ")}`
            : `Write ${JSON.stringify(meant)} if that is meant`,
      });
    }
    if (seen.has(name))
      throw failure("E_MATRIX_CHOICE", {
        to: "make the matrix",
        because: `the ${what} ${shown} is given twice`,
        fix: "Give every name once",
      });
    seen.add(name);
  }
}

function nothingLeft({ tools, faults }: MatrixOptions, known: readonly string[]): TwiceshyError {
  const because =
    known.length === 0
      ? "the world has no tools"
      : tools?.length === 0 || faults?.length === 0
        ? `no ${tools?.length === 0 ? "tool" : "fault type"} was chosen`
        : `none of ${(faults ?? ["the fault types"]).join(", ")} applies to ${(tools ?? known).join(", ")}`;
  return failure("E_MATRIX_EMPTY", {
    to: "make the matrix",
    because,
    fix: "Choose at least one tool and one fault type that applies to its kind, read or write",
  });
}
