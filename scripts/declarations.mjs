// The declarations of the doors: only those that a door's types need stay, and what `require` finds is written here.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const AS_ESM = '{ "resolution-mode": "import" }';

/**
 * Leaves of a dist folder's declarations those that the doors need, and writes those of the doors for `require`: the same types
 * as those for `import`, under the module system that the code there has. `manifest` is the package's.
 */
export function trimDeclarations(dist, manifest) {
  const doors = Object.values(manifest.exports).filter((door) => typeof door === "object");
  const inDist = (name) => path.join(dist, path.relative("dist", name));
  const needed = reached(doors.map((door) => inDist((door.import ?? door).types)));
  for (const name of readdirSync(dist, { recursive: true })) {
    const file = path.join(dist, name);
    if (name.endsWith(".d.ts") && !needed.has(file)) rmSync(file);
  }
  for (const { import: esm, require: cjs } of doors) {
    if (cjs === undefined) continue;
    const file = inDist(cjs.types);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, forRequire(file, inDist(esm.types)));
  }
}

/** Declaration files with all that they import. */
function reached(entries) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, to] of readFileSync(file, "utf8").matchAll(/(?:from|import\(?) ?"(\.[^"]+)"/g))
      visit(declared(file, to));
  };
  for (const entry of entries) visit(entry);
  return found;
}

function declared(from, specifier) {
  const file = path.join(path.dirname(from), specifier.replace(/\.js$/, ".d.ts"));
  if (!existsSync(file)) throw new Error(`${from} needs ${file}, which the compiler did not write`);
  return file;
}

/** CommonJS may take types of an ES module, as types. */
function forRequire(file, esm) {
  const away = path.relative(path.dirname(file), esm).replace(/\.d\.ts$/, ".js");
  const from = JSON.stringify(away.split(path.sep).join("/"));
  const door = `import(${from}, { with: ${AS_ESM} })`;
  const names = exportedBy(esm);
  const types = names.filter(({ isType }) => isType).map(({ name }) => name);
  const lines = [
    `export type {${types.map((name) => ` ${name}`).join(",")} } from ${from} with ${AS_ESM};`,
  ];
  for (const { name, isType } of names) {
    if (isType) continue;
    const { isAlsoType, comment } = declarationOf(esm, name);
    lines.push(`${comment}export declare const ${name}: typeof ${door}.${name};`);
    if (isAlsoType) lines.push(`export type ${name} = ${door}.${name};`);
  }
  return `${lines.join("\n")}\n`;
}

/** What a declaration file exports: where each name comes from, when another file has it. */
function exportedBy(file) {
  const text = readFileSync(file, "utf8");
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}(?: from "([^"]+)")?;$/gm)];
  const listed = lists.flatMap(([, allTypes, list, from]) =>
    list.split(",").flatMap((entry) => {
      const parts = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(entry);
      if (parts === null) return [];
      const [, type, original, name = original] = parts;
      return [{ name, original, from, isType: (allTypes ?? type) !== undefined }];
    }),
  );
  const own = [
    ...text.matchAll(/^export (?:declare )?(const|function|class|interface|type) (\w+)/gm),
  ];
  const declared = own.map(([, kind, name]) => ({
    name,
    original: name,
    isType: /^[it]/.test(kind),
  }));
  if (/^export (?:\*|default|declare (?:let|enum|namespace|abstract))/m.test(text))
    throw new Error(`${file} exports something in a way that is not known here`);
  return [...listed, ...declared].filter(
    ({ name }, at, all) => all.findIndex((one) => one.name === name) === at,
  );
}

/** Whether a value is a type, too, and what its documentation says. */
function declarationOf(file, name) {
  const from = exportedBy(file).find((one) => one.name === name && one.from !== undefined);
  if (from?.from.startsWith(".")) return declarationOf(declared(file, from.from), from.original);
  const text = readFileSync(file, "utf8");
  const asType = new RegExp(
    `^export (?:declare )?(?:class|interface|type) ${name}\\b(<?)`,
    "m",
  ).exec(text);
  if (asType?.[1] === "<")
    throw new Error(`${name} of ${file} is a type with parameters and a value`);
  const at = text.search(new RegExp(`^export declare (?:const|function|class) ${name}\\b`, "m"));
  const before = at < 0 ? "" : text.slice(0, at);
  const comment = before.endsWith("*/\n") ? before.slice(before.lastIndexOf("/**")) : "";
  return { isAlsoType: asType !== null, comment };
}
