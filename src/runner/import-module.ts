import { fileURLToPath } from "node:url";
import { nodeStripsTypes, viteOf, type ViteServer } from "../config/vite.ts";

/** How a command imports the user's modules. */
export interface Modules {
  importModule(url: string): Promise<unknown>;
  /** Call it when the modules are not used any more: until then they may import others. */
  close(): Promise<void>;
}

/**
 * Imports as Node does; TypeScript that this Node cannot run goes through the project's own Vite, so by the same rules as in
 * the tests.
 */
export function openModules(root: string): Modules {
  let server: ViteServer | undefined;
  return {
    async importModule(url) {
      const file = fileURLToPath(url);
      if (!/\.[cm]?tsx?$/.test(file) || nodeStripsTypes()) return import(url) as Promise<unknown>;
      server ??= await startVite(root);
      return server === undefined ? (import(url) as Promise<unknown>) : server.ssrLoadModule(file);
    },
    async close() {
      await server?.close();
    },
  };
}

async function startVite(root: string): Promise<ViteServer | undefined> {
  const vite = await viteOf(root);
  return vite?.createServer({
    root,
    configFile: false,
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
}
