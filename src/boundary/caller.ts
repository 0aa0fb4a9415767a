/** Node's own modules, and the HTTP client that is built of the same code: their timers serve a pool that all trials share. */
const CLIENT = /^node:|[\\/]node_modules[\\/]undici[\\/]/;

type Prepare = NonNullable<typeof Error.prepareStackTrace>;

/**
 * Whether a timer was asked for by Node itself, as `fetch` does for the timeouts of its connections. Theirs are named
 * functions; for others, as most are that an agent waits by, the stack is not looked at.
 */
export function calledByClient(patched: (...args: never[]) => unknown, callback: unknown): boolean {
  if (typeof callback === "function" && callback.name === "") return false;
  return CLIENT.test(filesBelow(patched, 1)[0] ?? "");
}

/**
 * Whether the code that was interrupted for a script is Node's own. The script called `fn`: it lies between the two, and
 * has no file.
 */
export function insideNode(fn: (...args: never[]) => unknown): boolean {
  const [, ...below] = filesBelow(fn, 12);
  // What is built into the language has no file either: it works for its caller.
  return CLIENT.test(below.find((file) => file !== "") ?? "");
}

/** The files of the functions that lie below one on the stack, from its caller on. */
function filesBelow(fn: (...args: never[]) => unknown, count: number): readonly string[] {
  const { stackTraceLimit } = Error;
  const prepare = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  Error.stackTraceLimit = count;
  const files: Prepare = (_error, sites) => sites.map((site) => site.getFileName() ?? "");
  Error.prepareStackTrace = files;
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, fn);
  const { stack } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  if (prepare === undefined) Reflect.deleteProperty(Error, "prepareStackTrace");
  else Object.defineProperty(Error, "prepareStackTrace", prepare);
  return Array.isArray(stack) ? (stack as readonly string[]) : [];
}
