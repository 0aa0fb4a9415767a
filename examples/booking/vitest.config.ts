import twiceshy from "twiceshy/vitest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [twiceshy({ agent: "./src/agent.ts#bookSlot" })],
});
