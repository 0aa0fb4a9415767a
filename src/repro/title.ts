import { canonical, isObject, type Json } from "../shared/json.ts";
import { title } from "../shared/text.ts";

/** Members that hold the words of a task, the best first. */
const WORDS = [
  "task",
  "prompt",
  "question",
  "instruction",
  "query",
  "input",
  "message",
  "text",
  "content",
  "goal",
];

/** The title of a repro: the words of its task. */
export function titleOf(task: Json): string {
  return title(wordsOf(task, 8));
}

function wordsOf(task: Json, depth: number): string {
  if (typeof task === "string") return task;
  if (Array.isArray(task) && depth > 0) {
    const asked = task.find((item) => isObject(item) && item["role"] === "user") ?? task[0];
    if (isObject(asked)) return wordsOf(asked, depth - 1);
  }
  if (!isObject(task) || depth === 0) return canonical(task);
  const name = WORDS.find((word) => Object.hasOwn(task, word) && isWords(task[word]));
  const words = name === undefined ? undefined : task[name];
  return words === undefined ? plainMembers(task) : wordsOf(words, depth - 1);
}

function isWords(value: Json | undefined): boolean {
  return (typeof value === "string" && value.trim() !== "") || Array.isArray(value);
}

/** `{ customer: "Grace" }` reads "customer: Grace". */
function plainMembers(task: { readonly [key: string]: Json }): string {
  return Object.entries(task)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : canonical(value)}`)
    .join(", ");
}
