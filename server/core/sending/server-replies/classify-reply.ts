import ipaddr from "ipaddr.js";

import {
  deriveDsn,
  isRecipientFailure,
  recipientFailureByCode,
} from "#server/core/sending/outbox/recipient-failure.ts";
import type { Failure, Throttle } from "#mail/smtp/outcome.ts";
import type { Reply } from "#mail/smtp/reply.ts";
import { SessionRefused } from "#mail/smtp/session.ts";
import type { RecipientVerdict } from "#mail/smtp/transact.ts";
import { WireError } from "#mail/smtp/wire.ts";

import type { Cause } from "./causes.ts";
import { findCause } from "./explain-reply.ts";

const MESSAGE_CHARACTERS_MAX = 500;
const ERROR_CHARACTERS_MAX = 400;

/** What the meaning of a reply for one recipient depends on. */
export type Circumstances = {
  /** For a reply to RCPT: the server accepted another recipient. */
  isOtherAccepted?: boolean;
  /** For a reply to the content: it is about several recipients. */
  isShared?: boolean;
  /** The name in EHLO, and the address of this end of the connection: a reply that names one is about this machine. */
  ehloName?: string | undefined;
  address?: string | null | undefined;
  /** The reply of a mailbox store, which knows nothing about this machine; Sieve scripts may have written it. */
  isStore?: boolean | undefined;
};

/**
 * What a reply means for one recipient. 4xx is retried. 5xx is permanent, unless it rejects this machine as
 * a whole: blocks get lifted, so it is retried too. So are recipients over the server's limit for one transaction
 * (RFC 5321, 4.5.3.1.10).
 *
 * A permanent failure suppresses the address if the reply is plainly about the recipient, and is to RCPT, or to the
 * content, for this recipient only, and its code says so.
 */
export function classifyReply(
  reply: Reply,
  stage: Stage,
  circumstances: Circumstances = {},
): Failure {
  const message = readMessage(reply);
  if (stage === "content" && reply.code >= 200 && reply.code < 300)
    return { result: "delivered", dsn: readDsn(reply, message, stage), message, suppress: false };
  // A positive reply where none was expected is nonsense, and may be temporary.
  if (reply.code < 400) return { ...DELAYED, dsn: "4.5.0", message };
  const dsn = readDsn(reply, message, stage);
  const rejection = { code: reply.code, dsn, message };
  const { ehloName, address, isStore } = circumstances;
  const throttle = isStore ? null : readThrottle({ ...rejection, stage, ehloName, address });
  if (throttle)
    return {
      ...DELAYED,
      dsn: dsn.replace(/^5/, "4"),
      message,
      throttle,
      ...afterRecipient(stage),
      ...(throttle === "block" && { isBlock: true as const }),
    };
  if (reply.code < 500) return { ...DELAYED, dsn, message };
  return classifyRejection(rejection, stage, circumstances);
}

type Rejection = { code: number; dsn: string; message: string };

function classifyRejection(
  { code, ...reply }: Rejection,
  stage: Stage,
  circumstances: Circumstances,
): Failure {
  if (stage === "rcpt" && circumstances.isOtherAccepted && isRecipientLimit(code, reply.dsn))
    return { ...DELAYED, ...reply, dsn: "4.5.3" };
  return { result: "bounced", ...reply, suppress: isRecipientGone(stage, reply, circumstances) };
}

const afterRecipient = (stage: Stage) =>
  AFTER_RECIPIENT.has(stage) && { isAfterRecipient: true as const };

function isRecipientGone(
  stage: Stage,
  { dsn, message }: { dsn: string; message: string },
  { isShared = false }: Circumstances,
): boolean {
  if (!isRecipientFailure(dsn, message)) return false;
  return stage === "rcpt" || (stage === "content" && !isShared && !!recipientFailureByCode(dsn));
}

/** 552 also means a full mailbox; then `dsn` is 5.2.2, even if only the text says so. */
const isRecipientLimit = (code: number, dsn: string): boolean =>
  dsn === "5.5.3" || (code === 552 && dsn === "5.0.0");

const AFTER_RECIPIENT = new Set<Stage>(["rcpt", "data", "content"]);

const DELAYED = { result: "delayed", suppress: false } as const;

/** A reply before RCPT can't be about the recipient. */
const knowsRecipient = (stage: Stage): boolean => stage === "rcpt" || stage === "content";

/** The reply on one line, without control characters. */
function readMessage({ code, lines }: Reply): string {
  const [enhancedCode = ""] = /^[245]\.\d{1,3}\.\d{1,3} /.exec(lines[0] ?? "") ?? [];
  const text = lines
    // Some servers begin each line with the enhanced code.
    .map((line, at) =>
      at > 0 && line.startsWith(enhancedCode) ? line.slice(enhancedCode.length) : line,
    )
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${code} ${text}`.trim().slice(0, MESSAGE_CHARACTERS_MAX);
}

/** The server's enhanced code, in the class of its reply code; derived from the text if there is none. */
function readDsn({ code, lines }: Reply, message: string, stage: Stage): string {
  const digit = Math.floor(code / 100);
  // At the start, or where qmail puts it: "sorry, no mailbox here by that name. (#5.1.1)".
  const [, first, last] =
    /^\W{0,2}[245]\.(\d{1,3}\.\d{1,3})\b(?!\.)|\(#[245]\.(\d{1,3}\.\d{1,3})\)/.exec(
      lines[0] ?? "",
    ) ?? [];
  const detail = first ?? last;
  if (detail) return `${digit}.${detail}`;
  return digit === 5 && knowsRecipient(stage) ? deriveDsn(message) : `${digit}.0.0`;
}

/** The step that a reply belongs to. */
export type Stage = "greeting" | "hello" | "auth" | "mail" | "rcpt" | "data" | "content";

type StagedRejection = {
  code: number;
  dsn: string;
  message: string;
  stage: Stage;
  /** The name in EHLO, if known. */
  ehloName?: string | undefined;
  /** The address that the connection comes from, if known; a private one is translated on the way. */
  address?: string | null | undefined;
};

/** The greeting code of a host that never accepts mail (RFC 7504). */
const ACCEPTS_NO_MAIL = 521;
const TEMPORARY = new Set([421, 450, 451, 452]);

/** What a temporary rejection of this machine for these causes asks for. */
const CAUSES: Partial<Record<Cause, Throttle>> = {
  rate_limited: "rate",
  blocklisted: "reputation",
  poor_reputation: "reputation",
  no_reverse_name: "reputation",
  server_refused: "reputation",
};

/** Microsoft's codes RP-002, RP-003 and 4.7.652, and other servers' wordings. */
const CONNECTIONS =
  /\brp-00[23]\b|\b4\.7\.652\b|too many (\S+ ){0,2}(connections|sessions)|(connection|session)s? limit|maximum (number of )?(\S+ )?(connections|sessions)|concurrent (\S+ )?(connections|sessions)|all server ports are busy/;
/** Yahoo's [TSS04] and [TS03], Microsoft's RP-001 and 4.7.500, and Google's 421 to a busy address. */
const RATE =
  /\[tss?\d+\]|\brp-001\b|\b4\.7\.500\b|excessive volume|try again later, closing connection|too (much|many) (mails?|messages|e-?mails?)/;

/** Limits of one connection, which a new connection doesn't have. */
const ONE_CONNECTION =
  /(per|in (one|this|a single)|for this|on this) (smtp )?(connection|session)|(max|maximum) messages? per/;
/** Limits of one company's domain, or of one recipient. */
const SOMEONE_ELSE =
  /\b(spf|dkim|url) domains?\b|(sender|from|sending|return.?path) (address|domain)|envelope sender|\b(user|recipient|mailbox|account)s?\b.{0,40}\b(receiving|contact|rate|volume)/;

/** Conclusive, whatever else the reply says: what Postfix and others call the connecting host, and providers' own terms. */
const REJECTS_THIS_SERVER = [
  /\bclient (host|address|ip)\b.{0,120}\b(blocked|rejected|listed|denied)\b|\bhelo command (rejected|\[.+\] blocked)\b/,
  /\b(your|this|sending|connecting) (ip|server|host)( address)?\b.{0,30}\b(has been|has a|is|was) (\S+ ){0,3}?(blocked|(black|block|deny)[ -]?list(ed)?|banned|(bad|poor) reputation)\b/,
  // Microsoft.
  /\(s31[45]0\)|\bbanned sending ip\b|\btraffic not accepted from this ip\b/,
  // Yahoo.
  /\[bl\d\d\]|\[tss?\d\d\]/,
  // Gmail.
  /\breputation of the sending ip\b|\bip you.re using to send mail\b/,
  // Proofpoint, and iCloud, which uses it.
  /\bipcheck\.proofpoint\.com|\bdnsbl-lookup\.cgi/,
  // GMX and web.de.
  /\bmail send limit exceeded\b/,
  // Cisco, and Free.
  /\byour access to (submit messages to )?this (e-)?mail system has been rejected(?! due to poor reputation of a domain)/,
  /\btoo many spams from your ip\b/,
];
/** Words for this machine; `#ip` is an address, `#host` the name in EHLO. */
const THIS_SERVER =
  /#ip|#host|\bips?\b|\b(your|this|sending|sender'?s?|source|connecting|remote|client|originating) ((mail|smtp|e-?mail) ?)?(servers?|hosts?|mta|network|isp|provider|hostname)\b|\b(zen|sbl|pbl|xbl|sbl-xbl)\.spamhaus\b/;
/** Words for the message, its sender or its recipient. */
const MAIL = [
  /\b(attached|attachments?|ur[il]s?|files?|filenames?|extensions?|phrases?|(key)?words?|virus|malware|contents?|contain(s|ed|ing)?|body|spf|dkim|dmarc|arc|likely|[us]r[il]?bl|dbl|matched map)\b/,
  /\bbanned:|\bsubject(?! to)\b|\bheaders?\b|\breceived:|(?<!\b(following|see|visit|see the|visit the|use the|at this) )\blinks?\b/,
  /\bsenders?\b(?!('?s)? ?(ip|host|server|mta|\[?#ip))|\b(sending|mail|author|return.?path|envelope|recipient) (e-?mail )?(address|domain|name)\b|\bfrom (domain|address(?! \[?#ip))\b|\benvelope\b/,
  /\bdomain\b.{0,80}\b(is|was|has been|listed|blocked|(black|block|deny) ?list(ed)?|banned|reputation)\b|\breputation of (the )?\S*domain|\bby (this |the )?(user|recipient)\b/,
];

/** Whether a reply is about this machine, not about the sender or the message. */
function isAboutThisServer(reply: StagedRejection): boolean {
  const text = withoutNames(reply);
  return (
    isConnecting(reply) ||
    rejectsThisServer(reply) ||
    (THIS_SERVER.test(text) && !isAboutMail(text))
  );
}

/** Replies that quote file names or subjects may quote any of these words. */
const QUOTES = /\bbanned:|\battachment|\bfile ?name|\bsubject:/;

function rejectsThisServer({ message }: StagedRejection): boolean {
  const text = withoutAddresses(message);
  return REJECTS_THIS_SERVER.some((words) => words.test(text)) && !QUOTES.test(text);
}

/** In lowercase. Addresses can contain any word. */
const withoutAddresses = (text: string): string => text.toLowerCase().replace(/\S+@\S+/g, "<>");

const isAboutMail = (text: string): boolean => MAIL.some((words) => words.test(text));

const IP = /\b(\d{1,3}\.){3}\d{1,3}\b|\b(ipv6:)?[\da-f]{1,4}:[\da-f:.]*:[\da-f:.]+/g;

/** Ranges whose addresses other servers don't see. */
const TRANSLATED = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

const isSameAddress = (ip: string, own: string): boolean => {
  const bare = ip.replace("ipv6:", "");
  return ipaddr.isValid(bare) && ipaddr.process(bare).toString() === ipaddr.process(own).toString();
};

/** Replaces what can contain any word: addresses, links, and the prefix of Postfix's policy services. */
function withoutNames({ message, ehloName, address }: StagedRejection): string {
  const isKnown = address && ipaddr.isValid(address);
  const own = isKnown && !TRANSLATED.has(ipaddr.process(address).range()) ? address : null;
  const text = withoutAddresses(message);
  const named = ehloName ? text.replaceAll(ehloName.toLowerCase(), "#host") : text;
  return named
    .replace(/https?:\/\/[\d.:[\]]+(\/\S*)?/g, "link")
    .replace(IP, (ip) => (own === null || isSameAddress(ip, own) ? "#ip" : ""))
    .replace(/https?:\/\/\S*/g, (url) => (url.includes("#ip") ? "#ip" : ""))
    .replace("recipient address rejected:", "");
}

/**
 * Whether a rejection asks this machine to slow down or to stay away, and how; null if it doesn't. Such a reply
 * affects all mail to the destination, so after MAIL it must name this machine or its connection: words such as
 * "blacklisted" or "too many messages" alone are about the sender or the message.
 */
function readThrottle(reply: StagedRejection): Throttle | null {
  const { code, stage } = reply;
  if (stage === "auth") return null;
  return code >= 500 ? readBlock(reply) : TEMPORARY.has(code) ? readDeferral(reply) : null;
}

const isConnecting = ({ stage }: StagedRejection): boolean =>
  stage === "greeting" || stage === "hello";

function readBlock(reply: StagedRejection): "block" | null {
  const { code, stage } = reply;
  const isReputation = CAUSES[findCause(reply)] === "reputation";
  if (stage === "greeting" && code === ACCEPTS_NO_MAIL) return isReputation ? "block" : null;
  if (isConnecting(reply) || rejectsThisServer(reply)) return "block";
  return isReputation && isAboutThisServer(reply) ? "block" : null;
}

function readDeferral(reply: StagedRejection): Throttle | null {
  const { dsn, message } = reply;
  const text = withoutAddresses(`${dsn} ${message}`);
  if (ONE_CONNECTION.test(text) || SOMEONE_ELSE.test(text)) return null;
  if (CONNECTIONS.test(text)) return "connections";
  const throttle = CAUSES[findCause({ dsn, message })] ?? (RATE.test(text) ? "rate" : null);
  if (isAboutThisServer(reply)) return throttle;
  return throttle === "rate" && endsConnection(reply, text) ? "rate" : null;
}

/** 421 closes the connection, so it is about the connection unless it names an address, a domain or the message. */
const endsConnection = ({ code }: StagedRejection, text: string): boolean =>
  code === 421 && !/<>|\b(for|from|by|to) \S+\.[a-z]{2,}/.test(text) && !isAboutMail(text);

/** What the replies to a transaction mean, for each of its recipients. */
export function readVerdicts(verdicts: RecipientVerdict[], known: Circumstances): Failure[] {
  const accepted = verdicts.filter(isRecipientAccepted).length;
  const circumstances = { ...known, isOtherAccepted: accepted > 0, isShared: accepted > 1 };
  return verdicts.map((verdict) => readVerdict(verdict, circumstances));
}

const isRecipientAccepted = (verdict: RecipientVerdict): boolean =>
  verdict.stage === "lost"
    ? verdict.contentSent
    : verdict.stage === "data" || verdict.stage === "content";

function readVerdict(verdict: RecipientVerdict, circumstances: Circumstances): Failure {
  if (verdict.stage === "lost") {
    const { error, contentSent } = verdict;
    const note = contentSent ? " after the whole message was sent; it may arrive twice" : "";
    return {
      result: "delayed",
      dsn: error.dsn,
      message: error.message + note,
      suppress: false,
      ...(!contentSent && { isHostTrouble: true }),
    };
  }
  const isDsnRelayed = verdict.stage === "content" && verdict.isDsnRelayed === true;
  const failure = classifyReply(verdict.reply, verdict.stage, circumstances);
  return {
    ...failure,
    ...(indicatesHostTrouble(failure) && { isHostTrouble: true }),
    ...(isDsnRelayed && { isDsnRelayed }),
  };
}

/** Causes with which the host asks the sender to wait: another host would reply the same. */
const WAITS = new Set(["greylisted", "rate_limited", "mailbox_busy"]);

/**
 * Whether a temporary rejection after the connection was opened may be the trouble of one host: its disk is full, say, or
 * a lookup fails. Not so if it is about security or policy (RFC 3463, 4.7.x), which often means greylisting.
 */
function indicatesHostTrouble({ result, dsn, message, throttle }: Failure): boolean {
  if (result !== "delayed" || throttle || dsn.startsWith("4.7.")) return false;
  return !WAITS.has(findCause({ dsn, message }));
}

/** What an error means for the messages for which a session was being opened. */
export function classifyOpeningError(error: unknown): Failure {
  if (error instanceof SessionRefused) return classifyReply(error.reply, error.stage);
  if (!(error instanceof WireError)) throw error;
  // TLS errors can quote the host's certificate, whose size is unlimited.
  const message = error.message.slice(0, ERROR_CHARACTERS_MAX);
  return { result: "delayed", dsn: error.dsn, message, suppress: false };
}
