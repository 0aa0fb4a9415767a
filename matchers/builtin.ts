// Every matcher: one line each. Registration, types and laws follow from this list.
export { toHaveCalledTool } from "./to-have-called-tool.ts";
export { toHaveFailure } from "./to-have-failure.ts";
export { toNotRepeatFailure } from "./to-not-repeat-failure.ts";
export { toPassChecks } from "./to-pass-checks.ts";
export { toStayWithinBudget } from "./to-stay-within-budget.ts";
