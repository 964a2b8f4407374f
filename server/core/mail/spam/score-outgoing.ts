import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { listFindings } from "./internal/read-scan.ts";
import { type ScannedMail, scanOutgoing } from "./internal/scan-outgoing.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";

/** rspamd's judgment of a message that isn't sent. */
export type SpamScore = {
  score: number;
  /** From here on, outgoing mail counts as spam. */
  threshold: number;
  /** The rules against it, strongest first. */
  rules: string[];
};

const SCAN_TIMEOUT_MS = 5_000;
const RULES_MAX = 10;

/** A separate scanner, so that checks can't stop the scans of mail. */
const scanner = new SpamScanner({ timeoutMs: SCAN_TIMEOUT_MS });

/** Scores a message of an authenticated user; null if rspamd is off or doesn't answer. */
export async function scoreOutgoing(
  db: Db,
  mail: Omit<ScannedMail, "clientAddress">,
): Promise<SpamScore | null> {
  const settings = await currentSettings(db);
  const seen = await scanOutgoing(scanner, settings, { ...mail, clientAddress: null });
  if (seen === null) return null;
  const { outgoing_spam_score: threshold } = settings;
  return { score: seen.score, threshold, rules: listFindings(seen).slice(0, RULES_MAX) };
}
