/** Every format, the surest first; the first that recognises a record reads it. */
export { native } from "./native.ts";
export { faultspool } from "./faultspool.ts";
export { tauBench } from "./tau-bench.ts";
export { anthropic } from "./anthropic.ts";
export { openai } from "./openai.ts";
