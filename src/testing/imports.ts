import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  readonly from: string;
  /** Path from the root for our files, package name for others. */
  readonly to: string;
  /** Erased by the compiler. */
  readonly typeOnly: boolean;
  /** Loaded when it is needed. */
  readonly lazy: boolean;
}

/** Every TypeScript file of ours below the given folders, relative to the root. */
export function sources(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        path.posix.join(folder, name.replaceAll("\\", "/")),
      ),
    )
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

const STATEMENT =
  /(?:^|\n)\s*(?:import|export)\s+(?<type>type\s+)?(?:[^"';]*?\sfrom\s+)?"(?<static>[^"]+)"|import\(\s*"(?<lazy>[^"]+)"\s*\)/g;

/** The imports of one file, in order. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(ROOT, file), "utf8").replaceAll(
    /\/\*[\s\S]*?\*\/|`[^`]*`/g,
    "",
  );
  return [...text.matchAll(STATEMENT)].map((match) => {
    const groups = match.groups ?? {};
    const target = groups["static"] ?? groups["lazy"] ?? "";
    const to = target.startsWith(".")
      ? path.posix.normalize(path.posix.join(path.posix.dirname(file), target))
      : packageOf(target);
    return {
      from: file,
      to,
      typeOnly: groups["type"] !== undefined,
      lazy: groups["lazy"] !== undefined,
    };
  });
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}
