import { once } from "node:events";
import { join } from "node:path";

import next from "next";

import type { Config } from "#server/config.ts";
import { endAdmissions } from "#server/core/limits/admit-request.ts";
import { keepWebProcess } from "#server/core/limits/web-process.ts";
import { flushRequestLog } from "#server/core/request-log/note-request.ts";
import { db } from "#server/db/pool.ts";

import { answerApi } from "./answer-api.ts";
import { createWebServer } from "./create-web-server.ts";

const DRAIN_TIMEOUT_MS = 5_000;
const IDLE_CHECK_MS = 50;

/** The running web server. `stop` lets requests in progress finish, for five seconds at most. */
export type Web = { stop(): Promise<void> };

/** Serves the API and the console. */
export async function startWeb(config: Config): Promise<Web> {
  const app = next({ dev: false, dir: join(import.meta.dirname, "../.."), quiet: true });
  await app.prepare();
  const endWebProcess = await keepWebProcess(db());
  const server = createWebServer(config, { api: answerApi, pages: app.getRequestHandler() });
  server.listen(config.ports.web, config.bind);
  await once(server, "listening");
  return {
    async stop() {
      const closed = once(server, "close");
      server.close();
      // A connection whose last answer went out just now would wait for a next request.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(impatience);
      await app.close();
      await flushRequestLog();
      await endWebProcess();
      endAdmissions();
    },
  };
}
