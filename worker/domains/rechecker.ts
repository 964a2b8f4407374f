import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import {
  type DueDomain,
  leaseDueDomains,
  recheckDomain,
} from "#server/core/domains/dns-checks/rechecks.ts";
import type { Db } from "#server/db/client.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { backoffMs, type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

/** Concurrent checks; one takes milliseconds, or seconds if name servers don't answer. */
const CONCURRENCY = 16;

/** Limits the load of a backlog: ten thousand domains take a quarter of an hour. */
const STARTS_PER_SECOND = 10;

/** Time for running checks at shutdown. An aborted check is due again an hour later. */
const SHUTDOWN_GRACE_MS = 3_000;

/** While nothing is due. */
const SLEEP_MS = 15_000;

type Options = { db: Db; dns: ZoneDns; log: Logger; sleepMs?: number };

/**
 * Checks the DNS records of every domain about once an hour, until stopped. Any number of recheckers can
 * work on one database. A check aborted by a crash is due again an hour later.
 */
export function startRechecker({ db, dns, log, sleepMs = SLEEP_MS }: Options): RunningLoop {
  const inHand = new Set<Promise<void>>();
  let isStopping = false;
  const begin = (domain: DueDomain) => {
    const checking = recheckDomain(db, domain, dns)
      .catch((error: unknown) => {
        if (isStopping) return;
        log.error({ err: error, domainId: domain.id }, "could not check a domain's records");
      })
      .finally(() => inHand.delete(checking));
    inHand.add(checking);
  };
  const startDue = async () => {
    if (inHand.size >= CONCURRENCY) await Promise.race(inHand);
    const due = await leaseDueDomains(db, Math.min(STARTS_PER_SECOND, CONCURRENCY - inHand.size));
    due.forEach(begin);
    return due.length > 0 ? 1_000 : sleepMs;
  };
  const loop = runLoop(startDue, {
    pauseMs: sleepMs,
    retryMs: backoffMs,
    onError: (error, failures) => {
      if (failures === 1) log.error({ err: error }, "could not read the domains that are due");
    },
  });
  return {
    /** Resolves once the running checks are done, or after three seconds. */
    async stop() {
      isStopping = true;
      await loop.stop();
      await Promise.race([Promise.all(inHand), delay(SHUTDOWN_GRACE_MS, null, { ref: false })]);
    },
  };
}
