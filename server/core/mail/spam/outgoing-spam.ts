import { outgoingScans, scanOf } from "#server/core/access/companies/outgoing-scan.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import type { Scan } from "#server/gateways/rspamd.ts";
import { createLogger } from "#server/processes/logger.ts";

import { actionByRule, isVirus, symbolsAgainst } from "./check-spam.ts";
import { rspamdUrl, SpamScanner } from "./rspamd.ts";

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
  const findings = symbolsAgainst(seen);
  const { author } = mail;
  logger.warn({ companyId, author, score: seen.score, findings, action }, "outgoing mail is spam");
  const reason = hasVirus
    ? "The message contains a virus"
    : `The message looks like spam (score ${seen.score.toFixed(1)} of ${max})`;
  return { action, reason };
}

/** rspamd's judgment of a message that isn't sent. */
export type SpamScore = {
  score: number;
  /** From here on, outgoing mail counts as spam. */
  threshold: number;
  /** The rules against it, strongest first. */
  rules: string[];
};

const RULES_MAX = 10;

/** A separate scanner, so that checks can't stop the scans of mail. */
const scoreScanner = new SpamScanner({ timeoutMs: SCAN_TIMEOUT_MS });

/** Scores a message of an authenticated user; null if rspamd is off or doesn't answer. */
export async function scoreOutgoing(
  db: Db,
  mail: Omit<ScannedMail, "clientAddress">,
): Promise<SpamScore | null> {
  const settings = await currentSettings(db);
  const seen = await scanOutgoing(scoreScanner, settings, { ...mail, clientAddress: null });
  if (seen === null) return null;
  const { outgoing_spam_score: threshold } = settings;
  return { score: seen.score, threshold, rules: symbolsAgainst(seen).slice(0, RULES_MAX) };
}

export type ScannedMail = {
  content: Buffer;
  /** Address that wrote it. rspamd takes it for an authenticated user, so SPF, DKIM and blocklists don't count. */
  author: string;
  recipients: string[];
  /** Null if unknown. */
  clientAddress: string | null;
};

/** Scans a message of an authenticated user; null if rspamd is off or doesn't answer. */
async function scanOutgoing(
  scanner: SpamScanner,
  settings: Settings,
  { content, author, recipients, clientAddress }: ScannedMail,
): Promise<Scan | null> {
  const url = rspamdUrl(settings);
  if (url === null) return null;
  return scanner.scan(url, () =>
    Promise.resolve({
      content,
      recipients,
      clientAddress,
      sender: author,
      user: author,
      helo: null,
      hostName: null,
    }),
  );
}
