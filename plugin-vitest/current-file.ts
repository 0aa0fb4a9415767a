import type { TaskNode } from "./snapshot-state.ts";

/** The runner's task of a test file. */
export interface FileNode extends TaskNode {
  readonly filepath: string;
}

/** One file runs at a time in a worker; several copies of this module may be loaded in it. */
const CURRENT = Symbol.for("twiceshy.current-file");

export function enterFile(file: FileNode): void {
  Reflect.set(globalThis, CURRENT, file);
}

/** The file that runs now, when it is the one at this path. */
export function currentFile(path: string): FileNode | undefined {
  const file = Reflect.get(globalThis, CURRENT) as FileNode | undefined;
  return file?.filepath === path ? file : undefined;
}
