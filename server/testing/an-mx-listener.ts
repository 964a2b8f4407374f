import { afterEach } from "vitest";

import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import { startMxListener, type MxListener, type MxOptions } from "#mail/mx/mx-listener.ts";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

export const MX_HOSTNAME = "mail.here.test";

/** Listeners of mail.here.test on free ports of loopback, each ended after the test that made it. */
export function mxListeners(): (options?: Partial<MxOptions>) => Promise<MxListener> {
  const started: MxListener[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((listener) => listener.stop()));
  });
  return async (options = {}) => {
    const listener = await startMxListener({
      db: db(),
      log: createLogger("mx"),
      hostname: MX_HOSTNAME,
      certificate: { certificate: CERTIFICATE, key: PRIVATE_KEY },
      bind: "127.0.0.1",
      port: 0,
      ...options,
    });
    started.push(listener);
    return listener;
  };
}
