import { z } from "zod";
import { same, type Json } from "../shared/json.ts";
import { testPattern } from "../shared/pattern.ts";
import type { Check, CheckKind, FieldShape } from "./check.ts";
import { checkKinds } from "./evaluate.ts";

const NOTHING = "asserts nothing";

/** Matched by a pattern that matches everything, and together by hardly any other. */
const PROBES = ["", "a", "7 ,", "\n", "Zoë {}"];

const shapes: Readonly<Record<FieldShape, z.ZodType>> = {
  json: z.custom<Json>((value) => value !== undefined, "is missing"),
  string: z.string().refine((value) => value.trim() !== "", { error: NOTHING }),
  number: z.number().int().nonnegative(),
  strings: z.array(z.string().min(1)).min(1, NOTHING),
  pattern: z.string().superRefine((pattern, context) => {
    const problem = patternProblem(pattern);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  }),
  schema: z
    .union([z.boolean(), z.record(z.string(), z.custom<Json>())])
    .refine((schema) => schema !== true && !same(schema as Json, {}), { error: NOTHING }),
};

function patternProblem(pattern: string): string | undefined {
  for (const probe of PROBES) {
    const tested = testPattern(pattern, probe);
    if ("error" in tested) return tested.error;
    if (!tested.matched) return undefined;
  }
  return NOTHING;
}

function schemaOf(kind: CheckKind): z.ZodObject {
  const optional = kind.optional ?? [];
  const fields = Object.entries(kind.fields).map(([name, shape]) => [
    name,
    optional.includes(name) ? shapes[shape].optional() : shapes[shape],
  ]);
  return z.strictObject({ type: z.literal(kind.type), ...Object.fromEntries(fields) });
}

const [first, ...rest] = [...checkKinds().values()].map((kind) => schemaOf(kind));

/**
 * One check as data, made from the `fields` of every kind. Refuses an unknown type or field, a broken pattern, and a
 * check that always holds.
 */
export const checkSchema: z.ZodType<Check> = z
  .discriminatedUnion("type", [first as z.ZodObject, ...rest])
  .superRefine((check, context) => {
    const optional = checkKinds().get(String(check["type"]))?.optional ?? [];
    const empty = Object.keys(check).length === 1 && optional.length > 0;
    if (empty)
      context.addIssue({ code: "custom", message: `${NOTHING}: give ${optional.join(" or ")}` });
  }) as unknown as z.ZodType<Check>;
