import { join } from "node:path";

import type { Config } from "#server/config.ts";
import { endAdmissions } from "#server/core/platform/limits/admit-request.ts";
import { flushRequestLog } from "#server/core/access/request-log/request-log.ts";
import { followCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import {
  isFromAuthority,
  loadCertificate,
  watchCertificate,
} from "#server/core/platform/tls/certificate.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { answerApi } from "./answer-api.ts";
import { createAlpnServer } from "./acme-challenge.ts";
import { createTlsWebServer, createWebServer, PATIENCE } from "./create-web-server.ts";
import type { Destinations } from "./front.ts";
import { followTrackingHosts } from "./tracking-hosts.ts";
import { createWebListener } from "./web-listener.ts";

const logger = createLogger("web");

const DRAIN_TIMEOUT_MS = 5_000;
const IDLE_CHECK_MS = 50;

/** The running web server. `stop` lets requests in progress finish, for five seconds at most. */
export type Web = { stop(): Promise<void> };

/**
 * Serves the API and the console, over HTTP and HTTPS on one port.
 *
 * @param beforeListening runs before the first request
 */
export async function startWeb(config: Config, beforeListening: () => Promise<void>): Promise<Web> {
  const pages = lazyPages();
  const { listener, stopWatching } = await createListener(config, {
    api: answerApi,
    pages: pages.handle,
  });
  const { ports, httpPort, bind } = config;
  await beforeListening();
  await listener.listen(httpPort === null ? [ports.web] : [ports.web, httpPort], bind);
  return {
    async stop() {
      stopWatching();
      const closed = listener.close();
      // A connection that was answered just now would otherwise wait for another request.
      const idle = setInterval(() => listener.closeIdleConnections(), IDLE_CHECK_MS);
      const impatience = setTimeout(() => listener.closeAllConnections(), DRAIN_TIMEOUT_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(impatience);
      await pages.close();
      await flushRequestLog();
      endAdmissions();
    },
  };
}

async function createListener(config: Config, destinations: Destinations) {
  const named = await followCertificates(db(), {
    config,
    onProblem: (problem) => logger.error({ err: problem }, "couldn't load certificates"),
  });
  const certificate = await loadCertificate(config, new Date());
  let isTrusted = isFromAuthority(certificate);
  const trackingHosts = await followTrackingHosts(db(), config, (problem) =>
    logger.error({ err: problem }, "couldn't load the tracking hosts"),
  );
  const policy = {
    ...config,
    isCertificateTrusted: () => isTrusted,
    isTrackingHost: trackingHosts.has,
  };
  const http = createWebServer(policy, destinations);
  const { sniCallback } = named;
  const https = createTlsWebServer(policy, destinations, { ...certificate, sniCallback });
  const stopWatching = watchCertificate(config, {
    current: certificate,
    onChange: (renewed) => {
      https.setSecureContext({ cert: renewed.certificate, key: renewed.key });
      isTrusted = isFromAuthority(renewed);
      logger.info("a new certificate is in use");
    },
    onProblem: (problem) =>
      logger.error({ err: problem }, "the new certificate is invalid; keeping the current one"),
  });
  const servers = { http, https, alpn: createAlpnServer() };
  return {
    listener: createWebListener(servers, {
      firstByteMs: PATIENCE.idle,
      proxies: config.proxyProtocol,
      trustedProxies: config.trustedProxies,
    }),
    stopWatching: () => {
      stopWatching();
      named.stop();
      trackingHosts.stop();
    },
  };
}

/** The pages of the console and `/account`, which Next renders. */
type Pages = { handle: Destinations["pages"]; close(): Promise<void> };

/**
 * Loads the pages from the production build at the first request for one, which takes 0.3 s and 11 MB. Many appliances are
 * used through the API and by mail apps for days.
 */
function lazyPages(): Pages {
  let loading: ReturnType<typeof prepareNext> | null = null;
  const load = () =>
    (loading ??= prepareNext().catch((error: unknown) => {
      loading = null;
      throw error;
    }));
  return {
    handle: async ({ request, response }) => (await load()).getRequestHandler()(request, response),
    close: async () => (await loading)?.close(),
  };
}

async function prepareNext() {
  const { default: next } = await import("next");
  const app = next({ dev: false, dir: join(import.meta.dirname, "../.."), quiet: true });
  await app.prepare();
  return app;
}
