// Every matcher: one line each. Registration, types and laws follow from this list.
export { toHaveCalledTool } from "./to-have-called-tool.ts";
export { toHaveCalledToolsInOrder } from "./to-have-called-tools-in-order.ts";
export { toHaveExactlyOneMutation } from "./to-have-exactly-one-mutation.ts";
export { toHaveFailure } from "./to-have-failure.ts";
export { toHaveMutations } from "./to-have-mutations.ts";
export { toHavePassed } from "./to-have-passed.ts";
export { toHaveReachedFault } from "./to-have-reached-fault.ts";
export { toHaveRecoveredFrom } from "./to-have-recovered-from.ts";
export { toHaveUnchanged } from "./to-have-unchanged.ts";
export { toNotRepeatFailure } from "./to-not-repeat-failure.ts";
export { toPassChecks } from "./to-pass-checks.ts";
export { toReportCommittedState } from "./to-report-committed-state.ts";
export { toStayWithinBudget } from "./to-stay-within-budget.ts";
