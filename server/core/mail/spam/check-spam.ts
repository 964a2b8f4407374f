import { isIPv4 } from "node:net";

import ipaddr from "ipaddr.js";

import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import { type Answer, ask, createResolver, type Resolver } from "#server/gateways/dns.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";
import type { Scan } from "#server/gateways/rspamd.ts";

import { reversedAddress } from "./find-listing.ts";
import { rspamdUrl, SpamScanner } from "./rspamd.ts";

/** From the most lenient to the strictest. */
const ACTIONS = ["deliver", "junk", "quarantine", "reject"] as const;

type SpamAction = (typeof ACTIONS)[number];

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
    content,
    ...envelope,
    hostName: await findHostName(resolver, envelope.clientAddress),
  });
  const seen = url === null ? null : await scanner.scan(url, prepare);
  const authentication = authenticationAction(verdict, { isAlone: seen === null });
  if (!seen) return { ...authentication, score: null, isVirus: false };
  const findings = [...new Set([...symbolsAgainst(seen), ...authentication.findings])].slice(
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

/**
 * The action that the authentication results call for. Mail that fails a DMARC policy goes to Junk; the listener has
 * already rejected what it should, so `reject` isn't applied again. Without rspamd, a hard SPF failure counts too if
 * there is no DMARC policy and no valid signature.
 */
function authenticationAction(
  { spf, dkim, dmarc }: IncomingMessage["verdict"],
  { isAlone }: { isAlone: boolean },
): { action: SpamAction; findings: string[] } {
  if (dmarc.result === "fail" && dmarc.policy === "reject")
    return { action: "junk", findings: ["DMARC_POLICY_REJECT"] };
  if (dmarc.result === "fail" && dmarc.policy === "quarantine")
    return { action: "junk", findings: ["DMARC_POLICY_QUARANTINE"] };
  if (isAlone && isSpfFailure({ spf, dkim, dmarc }))
    return { action: "junk", findings: ["R_SPF_FAIL"] };
  return { action: "deliver", findings: [] };
}

const isSpfFailure = ({ spf, dkim, dmarc }: IncomingMessage["verdict"]) =>
  spf.result === "fail" && dkim.result !== "pass" && dmarc.result === "none";

/**
 * rspamd's antivirus symbols: CLAM_VIRUS, SOPHOS_VIRUS and so on. Excludes CLAM_VIRUS_FAIL (scanner unavailable) and
 * CLAM_VIRUS_ENCRYPTED (couldn't scan), which aren't viruses.
 */
const VIRUS_SYMBOL = /^[A-Z0-9_]+_VIRUS$/;

/** rspamd's reject message for viruses, even if an operator renamed the symbol. */
const VIRUS_TEXT = /: virus found: /;

// Symbols are written into a header field.
const SYMBOL = /^[\w.-]{1,64}$/;

/**
 * The action that an operator's own rspamd rule forces, whatever the score. rspamd's thresholds and greylisting are
 * ignored in favor of our own.
 */
export function actionByRule({
  action,
  score,
  rejectScore,
}: Scan): "deliver" | "quarantine" | "reject" {
  if (action === "quarantine" || action === "discard") return "quarantine";
  if (action === "reject" && rejectScore !== null && score < rejectScore) return "reject";
  return "deliver";
}

/** Names of symbols against the message, strongest first. */
export function symbolsAgainst({ symbols }: Scan): string[] {
  // Virus symbols have no score but come first.
  const weight = ({ name, score }: Scan["symbols"][number]) =>
    isVirusSymbol(name) ? Infinity : score;
  return symbols
    .filter((symbol) => weight(symbol) > 0 && SYMBOL.test(symbol.name))
    .sort((a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

const isVirusSymbol = (name: string) => VIRUS_SYMBOL.test(name);

/** Whether a virus scanner of rspamd found something. */
export function isVirus({ action, symbols, text }: Scan): boolean {
  if (symbols.some(({ name }) => isVirusSymbol(name))) return true;
  return action === "reject" && VIRUS_TEXT.test(text);
}

type Dns = Pick<Resolver, "resolve" | "a" | "aaaa">;

const NAMES_MAX = 3;
const TIMEOUT_MS = 4_000;

/**
 * The reverse DNS name of an address if it resolves back to the address (RFC 8601, 2.7.3). Null otherwise, after four
 * seconds, and for private addresses.
 */
export async function findHostName(dns: Dns, address: string): Promise<string | null> {
  if (!isPublicAddress(address)) return null;
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), TIMEOUT_MS);
  try {
    return await Promise.race([findConfirmedName(dns, address), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function findConfirmedName(dns: Dns, address: string): Promise<string | null> {
  const { labels, zone } = reversedAddress(address);
  const names = await ask(async () => (await dns.resolve(`${labels}.${zone}`, "PTR")) as string[]);
  const meant = ipaddr.process(address).toString();
  for (const name of records(names).slice(0, NAMES_MAX)) {
    const addresses = records(await (isIPv4(meant) ? dns.a(name) : dns.aaaa(name)));
    if (addresses.some((one) => ipaddr.process(one).toString() === meant)) return name;
  }
  return null;
}

const records = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
