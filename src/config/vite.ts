import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The part of Vite that is used, to read TypeScript where Node itself does not. */
export interface Vite {
  loadConfigFromFile(
    env: { command: "serve"; mode: string },
    file: string,
    root: string,
    logLevel: "silent",
  ): Promise<{ config: unknown } | null>;
  createServer(options: ViteServerOptions): Promise<ViteServer>;
}

/** A server that listens to nobody and only transforms and runs modules. */
export interface ViteServer {
  ssrLoadModule(file: string): Promise<unknown>;
  close(): Promise<void>;
}

interface ViteServerOptions {
  readonly root: string;
  readonly configFile: false;
  readonly logLevel: "error";
  readonly appType: "custom";
  readonly server: {
    readonly middlewareMode: true;
    readonly hmr: false;
    readonly ws: false;
    readonly watch: null;
  };
  readonly optimizeDeps: { readonly noDiscovery: true };
}

/** Whether this Node runs TypeScript by itself (22.18 and newer). */
export function nodeStripsTypes(): boolean {
  return "typescript" in process.features && Boolean(process.features.typescript);
}

/** The Vite of a project: its own, or the one that its Vitest brings; undefined when it has none. */
export async function viteOf(root: string): Promise<Vite | undefined> {
  const project = createRequire(join(root, "package.json"));
  for (const from of [() => project, () => createRequire(project.resolve("vitest/package.json"))]) {
    try {
      return (await import(pathToFileURL(from().resolve("vite")).href)) as Vite;
    } catch {
      // Not there; the other place may have it.
    }
  }
  return undefined;
}
