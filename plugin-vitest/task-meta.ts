import type { VerdictMeta } from "../src/plugin/verdict-meta.ts";

/** What tests leave in their `meta` for reporters. */
declare module "vitest" {
  interface TaskMeta {
    twiceshy?: VerdictMeta;
    twiceshyNote?: string;
  }
}
