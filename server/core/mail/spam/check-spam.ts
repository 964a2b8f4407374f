import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";
import type { Scan } from "#server/gateways/rspamd.ts";

import { findHostName } from "./internal/find-host-name.ts";
import { authenticationAction } from "./internal/authentication-action.ts";
import { rspamdUrl } from "./rspamd-url.ts";
import { SpamScanner } from "./internal/spam-scanner.ts";

/**
 * rspamd's antivirus symbols: CLAM_VIRUS, SOPHOS_VIRUS and so on. Excludes CLAM_VIRUS_FAIL (scanner unavailable) and
 * CLAM_VIRUS_ENCRYPTED (couldn't scan), which aren't viruses.
 */
const VIRUS_SYMBOL = /^[A-Z0-9_]+_VIRUS$/;

/** rspamd's reject message for viruses, even if an operator renamed the symbol. */
const VIRUS_TEXT = /: virus found: /;

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
// Symbols are written into a header field.
const SYMBOL = /^[\w.-]{1,64}$/;

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

/**
 * The action that an operator's own rspamd rule forces, whatever the score. rspamd's thresholds and greylisting are
 * ignored in favor of our own.
 */
function actionByRule({ action, score, rejectScore }: Scan): SpamAction {
  if (action === "quarantine" || action === "discard") return "quarantine";
  if (action === "reject" && rejectScore !== null && score < rejectScore) return "reject";
  return "deliver";
}

const strictest = (...actions: SpamAction[]) =>
  ACTIONS.findLast((action) => actions.includes(action)) ?? "deliver";

function listFindings({ symbols }: Scan): string[] {
  // Virus symbols have no score but come first.
  const weight = ({ name, score }: Scan["symbols"][number]) =>
    isVirusSymbol(name) ? Infinity : score;
  return symbols
    .filter((symbol) => weight(symbol) > 0 && SYMBOL.test(symbol.name))
    .sort((a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

const isVirusSymbol = (name: string) => VIRUS_SYMBOL.test(name);

function isVirus({ action, symbols, text }: Scan): boolean {
  if (symbols.some(({ name }) => isVirusSymbol(name))) return true;
  return action === "reject" && VIRUS_TEXT.test(text);
}
