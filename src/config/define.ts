import type { UserConfig } from "./config.ts";

/** Types the options in `twiceshy.config.ts`; returns them as they are. */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}
