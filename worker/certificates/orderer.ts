import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import type { Config } from "#server/config.ts";
import { renewCertificates } from "#server/core/platform/certificates/renew-certificates.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { backoffMs, type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

const LOOK_EVERY_MS = 10_000;
/** Gives the web process time to listen: it answers the authority. */
const FIRST_LOOK_MS = 2_000;
/** Time for an order in progress at shutdown. An interrupted one is due again in 15 minutes. */
const SHUTDOWN_GRACE_MS = 3_000;

/** Orders and renews certificates until stopped. Any number of workers can do so: they take turns. */
export function startOrderer({
  db,
  config,
  resolver,
  log,
}: {
  db: Db;
  config: Config;
  resolver: Resolver;
  log: Logger;
}): RunningLoop {
  const { acme, databaseUrl, hostname, baseUrl, tls, roles } = config;
  if (!acme || !databaseUrl) return { stop: () => Promise.resolve() };
  const loop = runLoop(
    (signal) =>
      renewCertificates(db, {
        config: { acme, databaseUrl, hostname, baseUrl, tls, roles },
        resolver,
        log,
        signal,
      }),
    {
      pauseMs: LOOK_EVERY_MS,
      firstPauseMs: FIRST_LOOK_MS,
      retryMs: backoffMs,
      onError: (error, failures) => {
        if (failures === 1) log.error({ err: error }, "could not renew certificates");
      },
    },
  );
  return {
    async stop() {
      await Promise.race([loop.stop(), delay(SHUTDOWN_GRACE_MS, null, { ref: false })]);
    },
  };
}
