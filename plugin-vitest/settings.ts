import type { Settings } from "../src/plugin/settings.ts";

/** The key of `provide` and `inject`. */
export const PROVIDED = "twiceshy";

declare module "vitest" {
  interface ProvidedContext {
    twiceshy?: Settings;
  }
}
