import { oneLine } from "../shared/text.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";

export const jsonSchema: CheckKind = {
  type: "json_schema",
  summary: "The value at the path meets this JSON Schema.",
  on: "trial",
  fields: { ...PLACE, schema: "schema" },
  optional: ["source"],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const { validate } = subject;
    if (validate === undefined) throw new Error("no validator of JSON Schemas is at hand");
    const found = place.value === undefined ? [] : validate(wantedOf(check, "schema"), place.value);
    const result = judged(place, {
      passed: found.length === 0,
      wanted: () => "one that meets the schema",
    });
    if (found.length === 0) return result;
    return { ...result, message: `${place.where}: ${oneLine(found.join("; "), 300)}` };
  },
};
