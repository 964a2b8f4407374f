import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { listFindings } from "./internal/read-scan.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";
import { rspamdUrl } from "./rspamd-url.ts";

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

/** Of its own, so that checks can't stop the scans of mail. */
const scanner = new SpamScanner({ timeoutMs: SCAN_TIMEOUT_MS });

/** Scores a message of an authenticated user; null if rspamd is off or doesn't answer. */
export async function scoreOutgoing(
  db: Db,
  { content, author, recipients }: { content: Buffer; author: string; recipients: string[] },
): Promise<SpamScore | null> {
  const settings = await currentSettings(db);
  const url = rspamdUrl(settings);
  if (url === null) return null;
  const seen = await scanner.scan(url, () =>
    Promise.resolve({
      ...{ content, recipients, clientAddress: null, sender: author, user: author },
      ...{ helo: null, hostName: null },
    }),
  );
  if (seen === null) return null;
  const { outgoing_spam_score: threshold } = settings;
  return { score: seen.score, threshold, rules: listFindings(seen).slice(0, RULES_MAX) };
}
