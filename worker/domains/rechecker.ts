import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import {
  leaseDueDomains,
  type DueDomain,
} from "#server/core/domains/dns-checks/lease-due-domains.ts";
import { recheckDomain } from "#server/core/domains/dns-checks/recheck-domain.ts";
import type { Db } from "#server/db/client.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { backoffMs } from "#worker/pump/backoff.ts";

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
export function startRechecker(options: Options): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const working = runLoop(options, stopped.signal);
  return {
    /** Resolves once the running checks are done, or after three seconds. */
    async stop() {
      stopped.abort();
      await working;
    },
  };
}

async function runLoop(
  { db, dns, log, sleepMs = SLEEP_MS }: Options,
  signal: AbortSignal,
): Promise<void> {
  const inHand = new Set<Promise<void>>();
  let failures = 0;
  const begin = (domain: DueDomain) => {
    const checking = recheckDomain(db, domain, dns)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        log.error({ err: error, domainId: domain.id }, "could not check a domain's records");
      })
      .finally(() => inHand.delete(checking));
    inHand.add(checking);
  };
  while (!signal.aborted) {
    try {
      const due = await leaseDueDomains(db, Math.min(STARTS_PER_SECOND, CONCURRENCY - inHand.size));
      failures = 0;
      due.forEach(begin);
      await pause(due.length > 0 ? 1_000 : sleepMs, signal);
      if (inHand.size >= CONCURRENCY) await Promise.race(inHand);
    } catch (error) {
      if (failures++ === 0) log.error({ err: error }, "could not read the domains that are due");
      await pause(backoffMs(failures), signal);
    }
  }
  await Promise.race([Promise.all(inHand), delay(SHUTDOWN_GRACE_MS, null, { ref: false })]);
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, null, { signal }).catch(() => null);
