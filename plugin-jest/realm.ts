/** What Jest leaves alone when it unmakes the objects that a file put on its global one; its own registered symbol. */
const PROTECTED = Symbol.for("$$jest-protect-from-deletion");
const WATCHDOG = Symbol.for("twiceshy.watchdog");
const CONTAINMENT = Symbol.for("twiceshy.containment");

/**
 * Ends what trials of a file keep for the next ones: the core modules that they patch, and the thread that watches, are those of the whole
 * process, which runs other files in other realms. What timers may still come to is protected from being unmade.
 */
export function leaveRealm(): void {
  callMember(CONTAINMENT, "release");
  callMember(WATCHDOG, "end");
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (key.description?.startsWith("twiceshy.") === true) protect(Reflect.get(globalThis, key));
  }
}

/** Keeps a value on a global object as it is. */
function protect(value: unknown): void {
  if (typeof value !== "object" || value === null || PROTECTED in value) return;
  Object.defineProperty(value, PROTECTED, { value: [], configurable: true, writable: true });
}

function callMember(key: symbol, name: string): void {
  const holder: unknown = Reflect.get(globalThis, key);
  if (typeof holder !== "object" || holder === null) return;
  const member: unknown = Reflect.get(holder, name);
  if (typeof member === "function") Reflect.apply(member, holder, []);
}
