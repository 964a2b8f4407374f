import ipaddr from "ipaddr.js";

import type { Cause } from "#server/core/sending/replies/causes.ts";
import { findCause } from "#server/core/sending/replies/explain-reply.ts";

/**
 * Why a server throttles this machine: too many connections, too much mail, or a poor reputation. `block`: it
 * rejects this machine with 5xx.
 */
export type Throttle = "connections" | "rate" | "reputation" | "block";

/** The step that a reply belongs to. */
export type Stage = "greeting" | "hello" | "auth" | "mail" | "rcpt" | "data" | "content";

type Reply = {
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
function isAboutThisServer(reply: Reply): boolean {
  const text = withoutNames(reply);
  return (
    isConnecting(reply) ||
    rejectsThisServer(reply) ||
    (THIS_SERVER.test(text) && !isAboutMail(text))
  );
}

/** Replies that quote file names or subjects may quote any of these words. */
const QUOTES = /\bbanned:|\battachment|\bfile ?name|\bsubject:/;

function rejectsThisServer({ message }: Reply): boolean {
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
function withoutNames({ message, ehloName, address }: Reply): string {
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
export function readThrottle(reply: Reply): Throttle | null {
  const { code, stage } = reply;
  if (stage === "auth") return null;
  return code >= 500 ? readBlock(reply) : TEMPORARY.has(code) ? readDeferral(reply) : null;
}

const isConnecting = ({ stage }: Reply): boolean => stage === "greeting" || stage === "hello";

function readBlock(reply: Reply): "block" | null {
  const { code, stage } = reply;
  const isReputation = CAUSES[findCause(reply)] === "reputation";
  if (stage === "greeting" && code === ACCEPTS_NO_MAIL) return isReputation ? "block" : null;
  if (isConnecting(reply) || rejectsThisServer(reply)) return "block";
  return isReputation && isAboutThisServer(reply) ? "block" : null;
}

function readDeferral(reply: Reply): Throttle | null {
  const { dsn, message } = reply;
  const text = withoutAddresses(`${dsn} ${message}`);
  if (ONE_CONNECTION.test(text) || SOMEONE_ELSE.test(text)) return null;
  if (CONNECTIONS.test(text)) return "connections";
  const throttle = CAUSES[findCause({ dsn, message })] ?? (RATE.test(text) ? "rate" : null);
  if (isAboutThisServer(reply)) return throttle;
  return throttle === "rate" && endsConnection(reply, text) ? "rate" : null;
}

/** 421 closes the connection, so it is about the connection unless it names an address, a domain or the message. */
const endsConnection = ({ code }: Reply, text: string): boolean =>
  code === 421 && !/<>|\b(for|from|by|to) \S+\.[a-z]{2,}/.test(text) && !isAboutMail(text);
