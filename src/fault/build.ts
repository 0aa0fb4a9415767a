import type { Json } from "../shared/json.ts";
import * as builtin from "./builtin.ts";
import type { Fault, FaultField, FaultType, Selection } from "./fault.ts";

type Types = typeof builtin;

type Value<Field extends FaultField> = Field extends readonly string[]
  ? Field[number]
  : Field extends "json"
    ? Json
    : Field extends "string" | "tool"
      ? string
      : Field extends "code"
        ? string | number
        : Field extends "boolean"
          ? boolean
          : Field extends "names"
            ? string[]
            : number;

type Own<Type extends FaultType> = {
  readonly [Field in keyof Type["fields"]]?: Value<Type["fields"][Field]>;
};

/** What a builder takes beside the tool: which calls are hit, and the type's own fields. */
export type FaultOptions<Type extends FaultType> = Omit<Selection, "tool"> & Own<Type>;

type Builders = { readonly [Name in keyof Types]: Builder<Types[Name]> };

type Builder<Type extends FaultType> = Type extends { readonly required: readonly unknown[] }
  ? (tool: string, options: FaultOptions<Type>) => Fault
  : (tool: string, options?: FaultOptions<Type>) => Fault;

/**
 * One function for each fault type: `fault.timeoutAfter("reserve_slot", { occurrence: 2 })` is the fault as data. Nothing is checked
 * here; what runs a fault does that.
 */
export const fault: Builders = Object.freeze(
  Object.fromEntries(
    Object.entries<FaultType>(builtin).map(([name, { type }]) => [
      name,
      (tool: string, options: Omit<Selection, "tool"> = {}): Fault => ({ type, tool, ...options }),
    ]),
  ),
) as unknown as Builders;
