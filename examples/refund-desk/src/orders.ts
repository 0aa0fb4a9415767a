/** What the shop's order service would hold. */
export interface Order {
  id: string;
  /** As the customer wrote it; orders from the old shop are lower case. */
  customer: string;
  total: number;
  /** Missing for orders that were paid with a voucher. */
  payment?: { card: string; open: boolean };
}

export const orders: readonly Order[] = [
  { id: "A-1001", customer: "Ada Lovelace", total: 42.5, payment: { card: "visa", open: true } },
  { id: "A-1002", customer: "grace hopper", total: 19.99, payment: { card: "visa", open: true } },
  { id: "A-1003", customer: "Mary Shelley", total: 120, payment: { card: "visa", open: false } },
  { id: "A-1004", customer: "Linus Pauling", total: 7.25 },
  { id: "A-1005", customer: "Joan Clarke", total: 310, payment: { card: "amex", open: true } },
];
