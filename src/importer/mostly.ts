/** Whether more than half of a list passes a test, so that one broken item does not hide what the list is. */
export function mostly<T>(list: readonly T[], test: (item: T) => boolean): boolean {
  let passed = 0;
  for (const item of list) if (test(item)) passed += 1;
  return passed * 2 > list.length;
}
