import type { EmailEventType } from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";

import { type Cause, CAUSES } from "./causes.ts";

export type Explanation = {
  /** What happened, as a sentence. */
  why: string;
  /** What to do about it, as a sentence; null if nothing helps or no action is needed. */
  advice: string | null;
};

type Reply = {
  /** Enhanced status code (RFC 3463). */
  dsn: string;
  /** The server's reply, beginning with its code; our own error if no server replied. */
  message: string;
  /** The recipient's domain. */
  domain: string;
  /** Delivery is retried, so no action is needed yet. */
  isDelayed: boolean;
};

/** Explains in plain words why a message was rejected and what to do about it. */
export function explainReply(reply: Reply): Explanation {
  if (isLocalFailure(reply)) return explainLocalFailure(reply.message);
  const { why, advice } = CAUSES[findCause(reply)];
  return { why: why(reply.domain), advice: reply.isDelayed ? null : advice };
}

/** Clear text wins over exact codes, exact codes over likely text, likely text over vague codes. */
export function findCause({ dsn, message }: Pick<Reply, "dsn" | "message">): Cause {
  return (
    findCauseByClearText(message) ??
    findCauseByExactCode(dsn) ??
    findCauseByLikelyText(message) ??
    findCauseByVagueCode(dsn)
  );
}

/** Delivery failed before any server was contacted: our own error has no reply code. */
const isLocalFailure = ({ dsn, message }: Reply): boolean =>
  dsn === "4.3.0" && message !== "" && !/^\d{3}\b/.test(message);

function explainLocalFailure(message: string): Explanation {
  if (message.startsWith("Warm-up: ")) return { why: `${message}.`, advice: null };
  return {
    why: `This server could not send the message yet: ${message.replace(/\.$/, "")}.`,
    advice: "If this continues, contact your Posthouse operator.",
  };
}

/** An event of an email, or a recipient's outcome. */
type ExplainedOutcome = {
  type: EmailEventType;
  recipient: string | null;
  dsn: string | null;
  message: string | null;
  reason: string | null;
};

const ADVICE: Partial<Record<EmailEventType, string>> = {
  suppressed: "Remove it from the suppression list if it can receive mail again.",
  failed: "Fix this, then resend.",
};

/** Explains an outcome and what to do about it; null if the state says it all. */
export function explainOutcome({
  type,
  recipient,
  dsn,
  message,
  reason,
}: ExplainedOutcome): Explanation | null {
  const isDelayed = type === "delivery_delayed";
  if ((type === "bounced" || isDelayed) && recipient !== null)
    return explainReply({
      dsn: dsn ?? "",
      message: message ?? reason ?? "",
      domain: addressDomain(recipient),
      isDelayed,
    });
  return reason === null ? null : { why: `${reason}.`, advice: ADVICE[type] ?? null };
}

/**
 * Enhanced status codes with one meaning (RFC 3463, RFC 7372, RFC 7505 and the IANA registry), by subject and
 * detail, for `4.` and `5.` alike.
 */
const EXACT: Record<string, Cause> = {
  "1.1": "no_mailbox",
  "1.2": "no_domain",
  "1.3": "bad_address",
  "1.4": "bad_address",
  "1.6": "mailbox_moved",
  "1.7": "sender_refused",
  "1.8": "sender_refused",
  "2.1": "mailbox_disabled",
  "2.2": "mailbox_full",
  "2.3": "message_too_large",
  "2.4": "list_broken",
  "3.1": "server_full",
  "3.4": "message_too_large",
  "4.2": "connection_lost",
  "4.3": "no_dns",
  "4.4": "no_route",
  "4.5": "server_busy",
  "4.6": "loop",
  "4.7": "expired",
  "5.1": "misunderstanding",
  "5.2": "misunderstanding",
  "5.3": "too_many_recipients",
  "5.4": "misunderstanding",
  "5.5": "misunderstanding",
  "6.1": "content_refused",
  "6.7": "content_refused",
  "7.5": "insecure",
  "7.20": "dkim_failed",
  "7.21": "dkim_failed",
  "7.22": "dkim_failed",
  "7.23": "spf_failed",
  "7.24": "spf_failed",
  "7.25": "no_reverse_name",
  "7.26": "unauthenticated",
  "7.27": "sender_takes_no_mail",
  // Used by Gmail and Microsoft, not registered.
  "7.28": "rate_limited",
  "7.54": "no_relay",
  "7.133": "own_people_only",
  "7.500": "server_busy",
  "7.515": "unauthenticated",
  "7.650": "rate_limited",
};

/** Codes with several uses; the text counts more. */
const VAGUE: Record<string, Cause> = {
  "1.10": "takes_no_mail",
  "3.2": "server_trouble",
  "4.1": "unreachable",
  "7.1": "not_wanted",
};

/** For unknown details. */
const BY_SUBJECT: Record<string, Cause> = {
  "1": "address_refused",
  "2": "mailbox_refused",
  "3": "server_trouble",
  "4": "unreachable",
  "5": "misunderstanding",
  "6": "content_refused",
  "7": "policy",
};

/** The cause that the code alone states; null if the text is needed. */
function findCauseByExactCode(dsn: string): Cause | null {
  const { subject, detail } = splitDsn(dsn);
  // 5.2.1 means a disabled mailbox; 4.2.1 only says it can't accept more right now.
  if (dsn === "4.2.1") return "mailbox_busy";
  // Microsoft's range for banned addresses.
  if (subject === "7" && /^6\d\d$/.test(detail) && detail !== "650") return "blocklisted";
  return EXACT[`${subject}.${detail}`] ?? null;
}

/** The most likely cause if nothing better is known. */
function findCauseByVagueCode(dsn: string): Cause {
  const { subject, detail } = splitDsn(dsn);
  return VAGUE[`${subject}.${detail}`] ?? BY_SUBJECT[subject] ?? "not_taken";
}

function splitDsn(dsn: string): { subject: string; detail: string } {
  const [, subject = "", detail = ""] = /^[245]\.(\d{1,3})\.(\d{1,3})$/.exec(dsn) ?? [];
  return { subject, detail };
}

type Pattern = [words: RegExp, cause: Cause];

/** Text that is conclusive whatever the code. */
const CLEAR: Pattern[] = [
  // Our own words for a suspended destination.
  [/ is limiting mail from this server/, "rate_limited"],
  [/gr[ae]y-?list/, "greylisted"],
  // Gmail's 4.7.23, which is about SPF elsewhere.
  [/have a ptr record/, "no_reverse_name"],
  // Yahoo's [TS03] and [TSS09], whose 5.7.2 is about mailing lists elsewhere.
  [/all messages from \S+ will be permanently deferred/, "poor_reputation"],
  [/virus .{0,60}(detected|found)|malware detected|infected/, "virus"],
  [
    /sendernotauthenticatedforgroup|authentication required; delivery restriction/,
    "own_people_only",
  ],
  [
    /(account|mailbox|user|inbox)( \S+)? (is |has been )?(currently )?(disabled|inactive|suspended|deactivated|closed|expired)|account that you tried to reach is (inactive|disabled)/,
    "mailbox_disabled",
  ],
  [
    /over ?quota|quota (is )?exceeded|mailbox (for \S+ )?(is )?full|out of storage|insufficient storage|exceeded (its|their|the) .{0,20}quota/,
    "mailbox_full",
  ],
  [
    /user unknown|unknown user|no such (user|recipient|mailbox|person)|mailbox not found|recipient ?(<> )?(not found|unknown)|recipnotfound|user (not found|does ?n.t exist)|(address|user|account)( <>)? does not exist|not our customer|no mailbox (here )?by that name|unrouteable address|invalid (mailbox|recipient)|5\.4\.1 (\S+ )?recipient address rejected: access denied|this user doesn.t have/,
    "no_mailbox",
  ],
];

/** Text that counts if the code is vague; the first match wins. */
const LIKELY: Pattern[] = [
  [/\bspf\b/, "spf_failed"],
  [/\bdkim\b/, "dkim_failed"],
  [/\bdmarc\b/, "dmarc_failed"],
  [/unauthenticated|authentication level|not authenticated/, "unauthenticated"],
  [/\bptr\b|reverse dns|rdns|fcrdns|client host.{0,40}cannot find your/, "no_reverse_name"],
  [/relay|rcpthosts/, "no_relay"],
  // A listed link concerns the message, not this server.
  [/\b(uri|sur)bl\b|(black|block) ?listed ur[il]|ur[il]s? (black|block) ?listed/, "spam"],
  [
    /black ?list|block ?list|deny ?list|dnsbl|\brbl\b|spamhaus|spamcop|sorbs|\bs31[45]0\b|banned|ipcheck|client host.{0,60}blocked|your ip( address)? (has been|is|was) blocked|not accepted from this ip|\b(ip|host|server|(\d{1,3}\.){3}\d{1,3})\b\S*( address)? .{0,30}\b(listed|found) (at|on|in|by)\b|connections will not be accepted|envelope blocked/,
    "blocklisted",
  ],
  [/(client (host|address)|helo command) rejected/, "server_refused"],
  [/reputation|ip=\S+ - a problem occurred/, "poor_reputation"],
  [
    /rate limit|limit exceeded|unusual rate|unexpected volume|receiving email at a rate|too many (messages|connections|mails|emails)|throttl/,
    "rate_limited",
  ],
  [/\bspam|unsolicited|junk|suspicio|phish/, "spam"],
  [/virus|malware|security issue/, "virus"],
  [/sender (address|verify|domain)|return.?path|verification failed/, "sender_refused"],
  [
    /too (large|big)|size (limit|exceed)|exceeds.{0,30}size|maximum (message|file) size/,
    "message_too_large",
  ],
  [/line (too long|length)|8-bit|bare (lf|cr)|message content|message header/, "content_refused"],
  [/polic(y|ies)|administrative prohibition|prohibited/, "policy"],
  [/(server|system) (is )?(too )?busy|overload/, "server_busy"],
  [
    /temporar|service (is )?(currently )?(not available|unavailable)|system resources|lookup failure|internal (error|resources)|local problem/,
    "server_trouble",
  ],
  [/mailbox unavailable/, "no_mailbox"],
];

/** The cause that a reply's text states clearly; null if it doesn't. */
const findCauseByClearText = (message: string): Cause | null => first(CLEAR, message);

/** The cause that a reply's text suggests; null if none. */
const findCauseByLikelyText = (message: string): Cause | null => first(LIKELY, message);

function first(patterns: Pattern[], message: string): Cause | null {
  // Addresses can contain any word, such as spam@.
  const text = message.toLowerCase().replace(/\S+@\S+/g, "<>");
  return patterns.find(([words]) => words.test(text))?.[1] ?? null;
}
