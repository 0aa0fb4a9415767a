/** The error classes of the language, by name; each can be made from a message alone. */
export const ERROR_CLASSES: ReadonlyMap<string, new (message: string) => Error> = new Map<
  string,
  new (message: string) => Error
>([
  ["Error", Error],
  ["TypeError", TypeError],
  ["RangeError", RangeError],
  ["SyntaxError", SyntaxError],
  ["ReferenceError", ReferenceError],
  ["EvalError", EvalError],
  ["URIError", URIError],
]);
