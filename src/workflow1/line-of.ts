import { members } from "../shared/pointer.ts";

const STRING = /"(?:[^"\\]|\\.)*"/y;
const OTHER = /[^\s,:[\]{}"]+/y;

/** The line, from 1, at which the value at a JSON Pointer stands, in a text that is JSON; that of the nearest value around it when it is missing. */
export function lineOf(text: string, pointer: string): number {
  const path = members(pointer);
  let at = 0;
  let found = 0;
  for (const member of ["", ...path]) {
    const start = member === "" && found === 0 ? skipSpace(text, 0) : memberAt(text, at, member);
    if (start === undefined) break;
    at = start;
    found = start;
  }
  return text.slice(0, found).split("\n").length;
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (/[\s,:]/.test(text.charAt(next))) next++;
  return next;
}

/** Where a member of the array or object at a place begins. */
function memberAt(text: string, open: number, member: string): number | undefined {
  const isArray = text.charAt(open) === "[";
  if (!isArray && text.charAt(open) !== "{") return undefined;
  let at = skipSpace(text, open + 1);
  for (let index = 0; at < text.length && !/[\]}]/.test(text.charAt(at)); index++) {
    let key = String(index);
    if (!isArray) {
      const end = endOfValue(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, end);
    }
    if (key === member) return at;
    at = skipSpace(text, endOfValue(text, at));
  }
  return undefined;
}

function endOfValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = text.charAt(at);
    if (/[[{]/.test(character)) depth++;
    if (/[\]}]/.test(character)) depth--;
    at = /[[\]{}]/.test(character) ? at + 1 : endOfToken(text, at);
    if (depth > 0) at = skipSpace(text, at);
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfToken(text: string, start: number): number {
  const pattern = new RegExp(text.charAt(start) === '"' ? STRING : OTHER);
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start + 1;
}
