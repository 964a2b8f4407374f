import { join } from "node:path";

import type { Destinations } from "./front.ts";

/** The pages of the console and `/account`, which Next renders. */
export type Pages = { handle: Destinations["pages"]; close(): Promise<void> };

/**
 * Loads the pages from the production build.
 *
 * @param isLazy whether to wait for the first request for a page: a test server starts sooner, and its API needs no build
 */
export async function loadPages({ isLazy }: { isLazy: boolean }): Promise<Pages> {
  let loading: ReturnType<typeof load> | null = null;
  const app = () => (loading ??= load());
  if (!isLazy) await app();
  return {
    handle: async (request, response) => (await app()).getRequestHandler()(request, response),
    close: async () => loading?.then((loaded) => loaded.close()),
  };
}

async function load() {
  const { default: next } = await import("next");
  const app = next({ dev: false, dir: join(import.meta.dirname, "../.."), quiet: true });
  await app.prepare();
  return app;
}
