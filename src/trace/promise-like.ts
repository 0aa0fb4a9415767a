/** Whether a value is a promise or another thenable, of any realm; never throws. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  try {
    return typeof Reflect.get(value, "then") === "function";
  } catch {
    return false;
  }
}
