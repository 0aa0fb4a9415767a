import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "../shared/json.ts";

/** "1.4.0+3f2a91c" from a project's package.json and commit; what is missing is left out, and "dev" stands for neither. Starts no process. */
export function versionOf(root: string): string {
  const parts = [packageVersion(root), commitOf(root)].filter((part) => part !== undefined);
  return parts.length === 0 ? "dev" : parts.join("+");
}

function packageVersion(root: string): string | undefined {
  const text = textOf(join(root, "package.json"));
  if (text === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(text);
    const version = isObject(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" && /^[\w.+-]{1,64}$/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The first seven digits of HEAD's commit, read from git's own files. */
function commitOf(root: string): string | undefined {
  const git = gitDirectory(resolve(root));
  const head = git === undefined ? undefined : textOf(join(git, "HEAD"))?.trim();
  if (git === undefined || head === undefined) return undefined;
  const hash = head.startsWith("ref: ") ? refOf(git, head.slice(5).trim()) : head;
  return hash !== undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, 7) : undefined;
}

function gitDirectory(from: string): string | undefined {
  const candidate = join(from, ".git");
  const stat = statOf(candidate);
  if (stat?.isDirectory() === true) return candidate;
  // A worktree or submodule has a file that points to its folder.
  const pointer =
    stat === undefined ? undefined : /^gitdir: (.+)$/m.exec(textOf(candidate) ?? "")?.[1];
  if (pointer !== undefined) return resolve(from, pointer.trim());
  const above = dirname(from);
  return above === from ? undefined : gitDirectory(above);
}

/** Version control is none of our business: what cannot be looked at is not there. */
function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function refOf(git: string, ref: string): string | undefined {
  const common = textOf(join(git, "commondir"))?.trim();
  for (const folder of common === undefined ? [git] : [git, resolve(git, common)]) {
    const loose = textOf(join(folder, ref))?.trim();
    if (loose !== undefined) return loose;
    const packed = textOf(join(folder, "packed-refs"))
      ?.split("\n")
      .find((line) => line.endsWith(` ${ref}`));
    if (packed !== undefined) return packed.split(" ")[0];
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
