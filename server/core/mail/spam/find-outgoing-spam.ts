import { outgoingScans, scanOf } from "#server/core/access/companies/outgoing-scan.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { actionByRule, isVirus, listFindings } from "./internal/read-scan.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";
import { rspamdUrl } from "./rspamd-url.ts";

/** Shorter than for incoming mail: mail apps show their users a progress bar. */
const SCAN_TIMEOUT_MS = 5_000;

const logger = createLogger("spam");
const scanner = new SpamScanner({ timeoutMs: SCAN_TIMEOUT_MS });

export type OutgoingMail = {
  companyId: string;
  content: Buffer;
  /** Address that wrote it. rspamd takes it for an authenticated user, so SPF, DKIM and blocklists don't count. */
  author: string;
  recipients: string[];
  /** Null if unknown. */
  clientAddress: string | null;
};

/** What happens to the company's spam, and why this message is. */
export type OutgoingSpam = { action: "hold" | "reject"; reason: string };

/**
 * Scans a message that leaves a company, also for another company of this appliance. Null if it isn't spam, if the
 * company's outgoing mail isn't scanned, or if rspamd doesn't answer in time: mail never waits for it.
 */
export async function findOutgoingSpam(
  db: Db,
  { companyId, content, author, recipients, clientAddress }: OutgoingMail,
): Promise<OutgoingSpam | null> {
  const action = scanOf(await outgoingScans(db), companyId);
  if (action === "off") return null;
  const settings = await currentSettings(db);
  const url = rspamdUrl(settings);
  if (url === null) return null;
  const seen = await scanner.scan(url, () =>
    Promise.resolve({
      ...{ content, recipients, clientAddress, sender: author, user: author },
      ...{ helo: null, hostName: null },
    }),
  );
  if (seen === null) return null;
  const max = settings.outgoing_spam_score;
  const hasVirus = isVirus(seen);
  if (!hasVirus && seen.score < max && actionByRule(seen) === "deliver") return null;
  const findings = listFindings(seen);
  logger.warn({ companyId, author, score: seen.score, findings, action }, "outgoing mail is spam");
  const reason = hasVirus
    ? "The message contains a virus"
    : `The message looks like spam (score ${seen.score.toFixed(1)} of ${max})`;
  return { action, reason };
}
