import { outgoingScans, scanOf } from "#server/core/access/companies/outgoing-scan.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { actionByRule, isVirus, listFindings } from "./internal/read-scan.ts";
import { type ScannedMail, scanOutgoing } from "./internal/scan-outgoing.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";

/** Shorter than for incoming mail: mail apps show their users a progress bar. */
const SCAN_TIMEOUT_MS = 5_000;

const logger = createLogger("spam");
const scanner = new SpamScanner({ timeoutMs: SCAN_TIMEOUT_MS });

export type OutgoingMail = ScannedMail & { companyId: string };

/** What happens to the company's spam, and why this message is. */
export type OutgoingSpam = { action: "hold" | "reject"; reason: string };

/**
 * Scans a message that leaves a company, also for another company of this appliance. Null if it isn't spam, if the
 * company's outgoing mail isn't scanned, or if rspamd doesn't answer in time: mail never waits for it.
 */
export async function findOutgoingSpam(
  db: Db,
  { companyId, ...mail }: OutgoingMail,
): Promise<OutgoingSpam | null> {
  const action = scanOf(await outgoingScans(db), companyId);
  if (action === "off") return null;
  const settings = await currentSettings(db);
  const seen = await scanOutgoing(scanner, settings, mail);
  if (seen === null) return null;
  const max = settings.outgoing_spam_score;
  const hasVirus = isVirus(seen);
  if (!hasVirus && seen.score < max && actionByRule(seen) === "deliver") return null;
  const findings = listFindings(seen);
  const { author } = mail;
  logger.warn({ companyId, author, score: seen.score, findings, action }, "outgoing mail is spam");
  const reason = hasVirus
    ? "The message contains a virus"
    : `The message looks like spam (score ${seen.score.toFixed(1)} of ${max})`;
  return { action, reason };
}
