/** What was worked out about objects that many trials share: one for all copies of the package. */
const MEMO: unique symbol = Symbol.for("twiceshy.trial-memo") as never;

type Memo = { [name: string]: WeakMap<object, unknown> };

/** A value that is made once for an object, as long as the object lives; the object must not be changed in between. */
export function memo<Key extends object, Value>(
  name: string,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = mapOf(name);
  const value = known.get(key) as Value | undefined;
  if (value !== undefined) return value;
  const made = make(key);
  known.set(key, made);
  return made;
}

function mapOf(name: string): WeakMap<object, unknown> {
  const shared = globalThis as { [MEMO]?: Memo };
  const all = (shared[MEMO] ??= Object.create(null) as Memo);
  return (all[name] ??= new WeakMap());
}
