/** Names that mean something to the language, or to whoever awaits or prints an object. */
const TAKEN: ReadonlySet<string> = new Set(
  `__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable prototype then toJSON toLocaleString toString
  valueOf`.split(/\s+/u),
);
const PLAIN = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
const MOST = 36;

/**
 * A name in code for each of some texts, in their order: plain identifiers of ASCII letters, digits and `_` that no code can be
 * made of. A tool's name that is one stands for itself; two names never get the same alias.
 */
export function aliasesOf(names: readonly string[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  // A name that may stay as it is goes before others that would become it.
  const used = new Set(names.filter((name) => staysAsItIs(name)));
  const last = new Map<string, number>();
  for (const name of names) {
    if (aliases.has(name)) continue;
    const alias = staysAsItIs(name) ? name : unused(safe(name), { used, last });
    used.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}

function staysAsItIs(name: string): boolean {
  return PLAIN.test(name) && !TAKEN.has(name);
}

function safe(name: string): string {
  const ascii = name
    .slice(0, 200)
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, MOST)
    .replace(/_+$/, "");
  if (ascii === "") return "tool";
  return /^\d/.test(ascii) || TAKEN.has(ascii) ? `tool_${ascii}`.slice(0, MOST) : ascii;
}

interface Taken {
  readonly used: ReadonlySet<string>;
  /** The last number that was given to a name. */
  readonly last: Map<string, number>;
}

function unused(alias: string, { used, last }: Taken): string {
  if (!used.has(alias)) return alias;
  for (let n = (last.get(alias) ?? 1) + 1; ; n++) {
    if (used.has(`${alias}_${n}`)) continue;
    last.set(alias, n);
    return `${alias}_${n}`;
  }
}
