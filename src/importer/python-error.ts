import type { TraceError } from "../trace/trace.ts";
import { namedError } from "./tool-error.ts";

const TRACEBACK = "Traceback (most recent call last)";
/** How Python shows an exception: `ValueError('no such order')`. */
const SHOWN = /^([A-Za-z_][\w.]*)\((?:(['"])([\s\S]*)\2)?,?\)$/;

/** The exception that a text of Python tells: as its class with the message, or at the end of a traceback, which may follow. */
export function pythonError(text: string): TraceError {
  const at = text.indexOf(TRACEBACK);
  const head = (at > 0 ? text.slice(0, at) : text).trim();
  const said = at === 0 ? lastLine(text) : head;
  const [, name, , message] = SHOWN.exec(said) ?? [];
  if (name === undefined) return namedError(said);
  return namedError(`${name}: ${message === undefined || message === "" ? said : message}`);
}

/** The line that names the exception, which is the last of a traceback. */
function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? text;
}
