import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJsonc } from "./jsonc.ts";
import { tsconfigFor, type CompilerOptions } from "./tsconfig.ts";

/** How a project writes its modules, so that a spec passes its compiler and runs in its runner. */
export interface Style {
  /** Of the spec file, with the dot. */
  readonly extension: ".ts" | ".mts" | ".js" | ".mjs";
  /** Ending of relative imports of TypeScript files. */
  readonly imports: "as written" | "js" | "none";
  /** Where a spec finds itself. */
  readonly self: "import.meta.url" | "__filename";
  /** Missing for Vitest. */
  readonly runner?: "jest";
  /** Whether a spec loads with `require`, as plain JavaScript of a CommonJS project does. */
  readonly requires?: true;
}

export interface FoundStyle {
  readonly style: Style;
  /** Files on which the answer rests, there or not. */
  readonly files: readonly string[];
}

/**
 * The style for specs in a folder of a project. TypeScript when there is a tsconfig.json or the agent is TypeScript.
 * `typescript`: whether some agent's file is TypeScript.
 */
export function styleOf(folder: string, root: string, typescript: boolean): FoundStyle {
  const tsconfig = tsconfigFor(folder, root);
  const manifest = packageFor(folder, root);
  const files = [...tsconfig.files, ...manifest.files];
  const esm = manifest.type === "module";
  if (tsconfig.options === undefined && !typescript) {
    const extension = esm ? ".js" : ".mjs";
    return { style: { extension, imports: "as written", self: "import.meta.url" }, files };
  }
  return { style: typescriptStyle(tsconfig.options, esm), files };
}

/**
 * The same for Jest, which finds modules in its own way and runs CommonJS where nobody says otherwise: there specs are
 * TypeScript with `import`, which the project's own transform turns into what it runs, or plain JavaScript as the package says.
 */
export function jestStyleOf(folder: string, root: string, typescript: boolean): FoundStyle {
  const { style, files } = styleOf(folder, root, typescript);
  const found: Style = { ...style, runner: "jest" };
  if (style.extension === ".js") return { style: found, files };
  if (style.extension === ".mjs")
    return { style: { ...found, extension: ".js", requires: true }, files };
  // Jest looks for "./agent.js" by that name alone; TypeScript that becomes CommonJS needs no ending.
  const commonjs = style.self === "__filename" || style.extension === ".mts";
  const imports = style.imports === "js" && commonjs ? "none" : style.imports;
  return { style: { ...found, extension: ".ts", imports }, files };
}

const NODE = /^node(?:16|18|20|next)$/;

function typescriptStyle(options: CompilerOptions | undefined, esm: boolean): Style {
  if (options === undefined) {
    return { extension: ".ts", imports: "as written", self: "import.meta.url" };
  }
  const { module = "", moduleResolution = "", tsExtensions, verbatim } = options;
  const node = NODE.test(module) || NODE.test(moduleResolution);
  const commonjs = module === "commonjs" || (node && !esm);
  // There TypeScript refuses `import` in a CommonJS file of ours, or the import of a package that is ESM only.
  const needsModule = commonjs && (verbatim || module === "node16" || module === "node18");
  const imports = tsExtensions ? "as written" : node ? "js" : "none";
  if (needsModule)
    return {
      extension: ".mts",
      imports: imports === "none" ? "js" : imports,
      self: "import.meta.url",
    };
  return { extension: ".ts", imports, self: commonjs ? "__filename" : "import.meta.url" };
}

const TYPESCRIPT = /\.(?<kind>[cm]?)tsx?$/;

/** Whether a file is TypeScript, by its name. */
export function isTypescript(file: string): boolean {
  return TYPESCRIPT.test(file);
}

/** An import path with the ending that the project's compiler wants. */
export function importPath(path: string, style: Style): string {
  const kind = TYPESCRIPT.exec(path)?.groups?.["kind"];
  if (kind === undefined || style.imports === "as written") return path;
  // Without an ending only `.ts` and `.tsx` are found.
  if (style.imports === "none" && kind === "") return path.replace(TYPESCRIPT, "");
  return path.replace(TYPESCRIPT, `.${kind}js`);
}

/** The package.json that tells how `.js` and `.ts` files of a folder are loaded. */
function packageFor(
  folder: string,
  root: string,
): { readonly type: string; readonly files: readonly string[] } {
  const files: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, "package.json");
    files.push(path);
    if (existsSync(path)) {
      const type = parseJsonc(readFileSync(path, "utf8"))?.["type"];
      return { type: typeof type === "string" ? type : "commonjs", files };
    }
    if (current === root || current === dirname(current)) return { type: "commonjs", files };
  }
}
