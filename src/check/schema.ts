import { z } from "zod";
import { isObject } from "../shared/json.ts";
import type { Check } from "./check.ts";
import { checkProblems } from "./problems.ts";

/**
 * One check of a repro as data, by the `fields` of every kind. Refuses an unknown type or field, a kind that only a fault trial can
 * answer, a broken pattern, and a check that always holds.
 */
export const checkSchema: z.ZodType<Check> = z
  .custom<Check>((value) => isObject(value), { error: "is no check: give an object with a type" })
  .superRefine((check, context) => {
    for (const { field, message } of checkProblems(check, "replay")) {
      context.addIssue({ code: "custom", path: field === "" ? [] : [field], message });
    }
  });
