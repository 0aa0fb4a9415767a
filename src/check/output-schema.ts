import type { Json } from "../shared/json.ts";
import type { CheckKind } from "./check.ts";
import { shown } from "./evidence.ts";

export const outputSchema: CheckKind = {
  type: "output_schema",
  summary: "The output, or the JSON that it holds as text, meets this JSON Schema.",
  on: "both",
  fields: { schema: "schema" },
  evaluate(check, { trace, validate }) {
    if (trace.output === undefined) return { passed: false, message: "no output" };
    if (validate === undefined) throw new Error("no validator of JSON Schemas is at hand");
    const problems = validate(check["schema"] ?? true, parsed(trace.output));
    return {
      passed: problems.length === 0,
      message: problems.length === 0 ? shown(trace.output) : problems.join("; "),
    };
  },
};

/** The JSON in a text, also in a Markdown fence; the text itself when it holds none. */
function parsed(output: Json): Json {
  if (typeof output !== "string") return output;
  const fenced = /^\s*```[a-z]*\n([\s\S]*?)\n?```\s*$/i.exec(output)?.[1];
  try {
    return JSON.parse(fenced ?? output);
  } catch {
    return output;
  }
}
