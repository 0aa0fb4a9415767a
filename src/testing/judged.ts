import { detect, real } from "../detector/detector.ts";
import { readText, tracesIn } from "./trace-files.ts";

/** One run in the form in which it would lie in a file, and the kinds of failure that a person finds in it. */
export interface Judged {
  /** What happens in it. */
  readonly title: string;
  /** One document, or the lines of a file. */
  readonly file: object;
  /** One of these must be found; nothing may be when there is none. */
  readonly kinds: readonly string[];
}

/** A document with failures of one of these kinds. */
export function failing(title: string, kinds: string | readonly string[], file: object): Judged {
  return { title, file, kinds: typeof kinds === "string" ? [kinds] : kinds };
}

/** A document without a failure. */
export function clean(title: string, file: object): Judged {
  return { title, file, kinds: [] };
}

/** Several lines as one file. */
export class Lines {
  readonly lines: readonly unknown[];
  constructor(...lines: readonly unknown[]) {
    this.lines = lines;
  }
}

/** Things with what each has by its place; what they have themselves wins. */
export function numbered(things: readonly object[], base: (at: number) => object): object[] {
  return things.map((thing, at) => Object.assign({}, base(at), thing));
}

/** The kinds of the failures that are not low, of all runs of a file, with their messages; or why it cannot be read. */
export function foundIn({ file }: Judged): string[] {
  const lines = file instanceof Lines ? file.lines : [file];
  const items = readText(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const broken = items.flatMap((item) =>
    "error" in item ? [`unread: ${item.error.message}`] : [],
  );
  const traces = tracesIn(items);
  if (traces.length === 0) return ["unread: no trace", ...broken];
  return [
    ...broken,
    ...traces.flatMap((trace) =>
      real(detect(trace)).map(({ kind, message }) => `${kind}: ${message}`),
    ),
  ];
}

/** What is wrong with what was found; undefined when it is as a person judged. */
export function verdictOn(judged: Judged): string | undefined {
  const found = foundIn(judged);
  const kinds = new Set(found.map((line) => line.slice(0, line.indexOf(":"))));
  const right =
    judged.kinds.length === 0 ? found.length === 0 : judged.kinds.some((kind) => kinds.has(kind));
  return right
    ? undefined
    : `wanted ${judged.kinds.join(" or ") || "nothing"}, found ${found.join("; ") || "nothing"}`;
}
