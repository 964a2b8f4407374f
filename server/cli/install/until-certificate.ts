import { setTimeout as sleep } from "node:timers/promises";

import type { Config } from "#server/config.ts";
import { checkCertificates } from "#server/core/operations/system-checks/check-certificates.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import type { Db } from "#server/db/client.ts";

/** The worker looks every ten seconds, and an authority needs less than a minute. */
const TIMEOUT_MS = 90_000;
const POLL_MS = 1_000;

/**
 * The finding about the hostname's certificate. Waits for the first certificate if one can be issued.
 *
 * @param isPublished whether DNS has the hostname's addresses, without which no authority issues one
 */
export async function untilCertificate(
  db: Db,
  config: Config,
  isPublished: boolean,
): Promise<Finding> {
  const canIssue = isPublished && config.acme !== null && config.tls === null;
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [finding] = await checkCertificates(db, config, new Date());
    if (finding!.state === "ok" || !canIssue || performance.now() > deadline) return finding!;
    await sleep(POLL_MS);
  }
}
