/** What came in yesterday. */
export const tasks: readonly string[] = [
  "Refund the last order of Ada Lovelace",
  "Refund the last order of Grace Hopper",
  "Refund the last order of Mary Shelley",
  "Refund the last order of Linus Pauling",
  "Refund the last order of Joan Clarke",
];
