import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

import next from "next";

import type { Config } from "#server/config.ts";

import { front } from "./front.ts";

/** A whole request, body included: enough for 30 MB over a slow line. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Without a byte from the client. */
const IDLE_TIMEOUT_MS = 30_000;
const DRAIN_TIMEOUT_MS = 5_000;

/** The running web server. `stop` lets requests in progress finish, for five seconds at most. */
export type Web = { stop(): Promise<void> };

/** Serves the API and the console. */
export async function startWeb(config: Config): Promise<Web> {
  const app = next({ dev: false, dir: join(import.meta.dirname, "../.."), quiet: true });
  await app.prepare();
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: 65_000,
    },
    front(config, app.getRequestHandler()),
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.listen(config.ports.web, config.bind);
  await once(server, "listening");
  return {
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
      await closed;
      clearTimeout(impatience);
      await app.close();
    },
  };
}
