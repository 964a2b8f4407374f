import { afterEach } from "vitest";

import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { createLogger } from "#server/processes/logger.ts";
import { startMxListener, type MxListener, type MxOptions } from "#mail/mx/mx-listener.ts";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

const nothing = () => Promise.resolve({ kind: "no_name" as const });
const SILENT: Resolver = {
  mx: nothing,
  a: nothing,
  aaaa: nothing,
  txt: nothing,
  resolve: () => Promise.reject(Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" })),
};

export const MX_HOSTNAME = "mail.here.test";

/** Listeners of mail.here.test on free loopback ports, each closed after its test. */
export function mxListeners(): (options?: Partial<MxOptions>) => Promise<MxListener> {
  const started: MxListener[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((listener) => listener.stop()));
  });
  return async (options = {}) => {
    const listener = await startMxListener({
      db: db(),
      // A folder where no Dovecot has ever run, and a DNS without records.
      dataFolder: config().dataFolder,
      resolver: SILENT,
      log: createLogger("mx"),
      hostname: MX_HOSTNAME,
      certificate: { certificate: CERTIFICATE, key: PRIVATE_KEY },
      bind: "127.0.0.1",
      port: 0,
      ...options,
      limits: { tarpitStepMs: 1, ...options.limits },
    });
    started.push(listener);
    return listener;
  };
}
