import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";

import { findHostName } from "./internal/find-host-name.ts";
import { authenticationAction } from "./internal/authentication-action.ts";
import { actionByRule, isVirus, listFindings } from "./internal/read-scan.ts";
import { rspamdUrl } from "./rspamd-url.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";

/** From the most lenient to the strictest. */
const ACTIONS = ["deliver", "junk", "quarantine", "reject"] as const;

export type SpamAction = (typeof ACTIONS)[number];

export type SpamVerdict = {
  action: SpamAction;
  /** rspamd's score; null if it didn't scan the message. */
  score: number | null;
  /** Names of symbols against the message, strongest first: rspamd's, or our own in the same style. */
  findings: string[];
  /** `action` is then `quarantine`, whatever the score. */
  isVirus: boolean;
};

export type IncomingMessage = {
  content: Buffer;
  verdict: {
    spf: { result: string };
    dkim: { result: string };
    dmarc: { result: string; policy: string | null };
  };
  envelope: { sender: string; recipients: string[]; helo: string; clientAddress: string };
};

const FINDINGS_MAX = 20;
const scanner = new SpamScanner();

/**
 * Decides what to do with a message from outside, the same for all recipients. Waits for rspamd at most ten seconds.
 * Without rspamd, the results of SPF, DKIM and DMARC decide alone.
 */
export async function checkSpam(
  db: Db,
  { content, verdict, envelope }: IncomingMessage,
  resolver: Parameters<typeof findHostName>[0] = createResolver(config()),
): Promise<SpamVerdict> {
  const settings = await currentSettings(db);
  const url = rspamdUrl(settings);
  const prepare = async () => ({
    ...{ content, ...envelope },
    hostName: await findHostName(resolver, envelope.clientAddress),
  });
  const seen = url === null ? null : await scanner.scan(url, prepare);
  const authentication = authenticationAction(verdict, { isAlone: seen === null });
  if (!seen) return { ...authentication, score: null, isVirus: false };
  const findings = [...new Set([...listFindings(seen), ...authentication.findings])].slice(
    0,
    FINDINGS_MAX,
  );
  const judged = { score: seen.score, findings };
  if (isVirus(seen)) return { ...judged, action: "quarantine", isVirus: true };
  const action = strictest(
    actionByScore(seen.score, settings),
    actionByRule(seen),
    authentication.action,
  );
  return { ...judged, action, isVirus: false };
}

/** The strictest action whose threshold is reached, in whatever order the thresholds are. */
function actionByScore(score: number, settings: Settings): SpamAction {
  if (score >= settings.spam_reject_score) return "reject";
  if (score >= settings.spam_quarantine_score) return "quarantine";
  if (score >= settings.spam_junk_score) return "junk";
  return "deliver";
}

const strictest = (...actions: SpamAction[]) =>
  ACTIONS.findLast((action) => actions.includes(action)) ?? "deliver";
