/** The version that is deployed. Point it at `./agent-v1.ts` to see the three tests turn red. */
export { run } from "./agent-v2.ts";
