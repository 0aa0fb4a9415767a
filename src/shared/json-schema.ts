import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { messageOf } from "./error.ts";
import { canonical, isObject, type Json, type JsonObject } from "./json.ts";
import { markerKind, put } from "./marker.ts";
import { testPattern } from "./pattern.ts";
import { oneLine } from "./text.ts";

/** More problems than these are only counted. */
const SHOWN = 20;
/** Compiled schemas that are kept. */
const KEPT = 200;

/**
 * What is wrong with a value by a user's JSON Schema (2020-12, else draft 7): sorted sentences with JSON Pointers, none
 * when it is valid. A schema that cannot be used is one problem that says so. `format` is a note, not a rule. Never throws.
 */
export function validateSchema(schema: Json, value: Json): readonly string[] {
  try {
    if (typeof schema !== "boolean" && !isObject(schema)) {
      return ["the schema cannot be used: it is neither an object nor true or false"];
    }
    const validate = compiled(schema);
    return validate(plain(value)) ? [] : sentences(validate.errors ?? []);
  } catch (thrown) {
    return [`the schema cannot be used: ${oneLine(messageOf(thrown), 300)}`];
  }
}

const COMPILED = Symbol.for("twiceshy.schemas");

function compiled(schema: boolean | JsonObject): ValidateFunction {
  const shared = globalThis as { [COMPILED]?: Map<string, ValidateFunction> };
  const kept = (shared[COMPILED] ??= new Map());
  const key = canonical(schema);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const validate = compile(schema);
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, validate);
  return validate;
}

/** The user's patterns run under a time limit; one that is refused or takes too long makes the schema unusable. */
function guardedRegExp(
  pattern: string,
  flags: string,
): { test(text: string): boolean; toString(): string } {
  return {
    test: (text) => {
      const result = testPattern(pattern, text, flags);
      if ("error" in result) throw new Error(`in "pattern": ${result.error}`);
      return result.matched;
    },
    // ajv keeps patterns apart by this text.
    toString: () => `/${pattern}/${flags}`,
  };
}
guardedRegExp.code = "guardedRegExp";

const OPTIONS: Options = {
  // A name such as `toString` is no member of a value that only inherits it.
  ownProperties: true,
  allErrors: true,
  strict: false,
  logger: false,
  validateFormats: false,
  code: { regExp: guardedRegExp },
};

/** Without `$schema` a schema is read as 2020-12, or as draft 7 where that refuses it (as tuples in `items`). */
function compile(schema: boolean | JsonObject): ValidateFunction {
  const dialect = isObject(schema) ? schema["$schema"] : undefined;
  if (typeof dialect === "string" && /draft-0?[67]/u.test(dialect)) {
    return compileWith("draft7", withoutDialect(schema));
  }
  try {
    return compileWith("2020", schema);
  } catch (thrown) {
    if (dialect !== undefined) throw thrown;
    try {
      return compileWith("draft7", schema);
    } catch {
      throw thrown;
    }
  }
}

type Dialect = "2020" | "draft7";
const COMPILERS = Symbol.for("twiceshy.schemaCompilers");

function newCompiler(dialect: Dialect): Ajv {
  return dialect === "2020" ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
}

/** A compiler needs a tenth of a second for its own meta-schema, so it is shared; names in a schema would stay in it. */
function compileWith(dialect: Dialect, schema: boolean | JsonObject): ValidateFunction {
  if (/"\$(?:id|anchor|dynamicAnchor)"/u.test(JSON.stringify(schema))) {
    return newCompiler(dialect).compile(schema);
  }
  const shared = globalThis as { [COMPILERS]?: Partial<Record<Dialect, Ajv>> };
  const compilers = (shared[COMPILERS] ??= {});
  const compiler = (compilers[dialect] ??= newCompiler(dialect));
  try {
    return compiler.compile(schema);
  } finally {
    if (isObject(schema)) compiler.removeSchema(schema);
  }
}

/** Draft 6 differs from draft 7 only in what it lacks, and its meta-schema need not be loaded. */
function withoutDialect(schema: boolean | JsonObject): boolean | JsonObject {
  if (!isObject(schema)) return schema;
  const copy: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const member = schema[key];
    if (key !== "$schema" && member !== undefined) put(copy, key, member);
  }
  return copy;
}

/** The value as plain JSON: exact integers as numbers, and without members that were undefined. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const kind = markerKind(value);
  if (kind === "bigint") return Number(value["v"]);
  if (kind === "-0") return 0;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined && markerKind(member) !== "undefined") put(copy, key, plain(member));
  }
  return copy;
}

function sentences(errors: readonly ErrorObject[]): readonly string[] {
  const all = [...new Set(errors.map(sentence))].sort();
  return all.length <= SHOWN
    ? all
    : [...all.slice(0, SHOWN), `and ${all.length - SHOWN} more problems`];
}

function sentence(error: ErrorObject): string {
  const place = error.instancePath === "" ? "the value" : error.instancePath;
  return oneLine(`${place} ${error.message ?? `breaks "${error.keyword}"`}${detail(error)}`, 300);
}

function detail({ keyword, params }: ErrorObject): string {
  if (keyword === "additionalProperties") return `: ${String(params["additionalProperty"])}`;
  if (keyword === "unevaluatedProperties") return `: ${String(params["unevaluatedProperty"])}`;
  if (keyword === "enum") return `: ${JSON.stringify(params["allowedValues"])}`;
  return keyword === "const" ? `: ${JSON.stringify(params["allowedValue"])}` : "";
}
