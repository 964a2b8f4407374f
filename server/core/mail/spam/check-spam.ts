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
 * rspamd's antivirus modules call what they find CLAM_VIRUS, SOPHOS_VIRUS and so on. CLAM_VIRUS_FAIL says
 * that the scanner is not there, CLAM_VIRUS_ENCRYPTED that it could not look inside: neither is a virus.
 */
const VIRUS_SYMBOL = /^[A-Z0-9_]+_VIRUS$/;

/** What the modules have rspamd refuse with, also where an operator has given the symbol another name. */
const VIRUS_TEXT = /: virus found: /;

/** From the mildest to the harshest. */
const ACTIONS = ["deliver", "junk", "quarantine", "reject"] as const;

export type SpamAction = (typeof ACTIONS)[number];

export type SpamVerdict = {
  action: SpamAction;
  /** rspamd's; null when it did not look. */
  score: number | null;
  /** What spoke against the message, strongest first: names of rspamd's symbols, or of ours in that style. */
  findings: string[];
  /** It carries a virus: `action` is then `quarantine`, whatever the score. */
  isVirus: boolean;
};

/** What is known of a message from outside before anybody has read it. */
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
/** They go into a header field. */
const SYMBOL = /^[\w.-]{1,64}$/;

const scanner = new SpamScanner();

/**
 * What to do with a message from outside, the same for all its recipients. rspamd is asked for at most ten
 * seconds and told the name of the sending host; where it is not, or does not answer, the verdicts of SPF, DKIM and DMARC decide alone.
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
  const told = authenticationAction(verdict, { isAlone: seen === null });
  if (!seen) return { ...told, score: null, isVirus: false };
  const findings = [...new Set([...listFindings(seen), ...told.findings])].slice(0, FINDINGS_MAX);
  const judged = { score: seen.score, findings };
  if (isVirus(seen)) return { ...judged, action: "quarantine", isVirus: true };
  const action = strictest(actionByScore(seen.score, settings), actionByRule(seen), told.action);
  return { ...judged, action, isVirus: false };
}

/** Where the figures are in an odd order, the harshest action whose figure is reached. */
function actionByScore(score: number, settings: Settings): SpamAction {
  if (score >= settings.spam_reject_score) return "reject";
  if (score >= settings.spam_quarantine_score) return "quarantine";
  if (score >= settings.spam_junk_score) return "junk";
  return "deliver";
}

/**
 * What an operator's own rule in rspamd wants, whatever the score. rspamd's thresholds do not count here:
 * ours do. Nor does its greylisting, which is ours too.
 */
function actionByRule({ action, score, rejectScore }: Scan): SpamAction {
  if (action === "quarantine" || action === "discard") return "quarantine";
  if (action === "reject" && rejectScore !== null && score < rejectScore) return "reject";
  return "deliver";
}

const strictest = (...actions: SpamAction[]) =>
  ACTIONS.findLast((action) => actions.includes(action)) ?? "deliver";

function listFindings({ symbols }: Scan): string[] {
  // A virus has no score: it decides by itself.
  const weight = ({ name, score }: Scan["symbols"][number]) =>
    isVirusSymbol(name) ? Infinity : score;
  return symbols
    .filter((symbol) => weight(symbol) > 0 && SYMBOL.test(symbol.name))
    .sort((a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

/** Whether the symbol says that a virus scanner has found something. */
const isVirusSymbol = (name: string) => VIRUS_SYMBOL.test(name);

/** Whether one of rspamd's virus scanners has found something. */
function isVirus({ action, symbols, text }: Scan): boolean {
  if (symbols.some(({ name }) => isVirusSymbol(name))) return true;
  return action === "reject" && VIRUS_TEXT.test(text);
}
