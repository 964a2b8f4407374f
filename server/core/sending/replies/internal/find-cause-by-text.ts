import type { Cause } from "#server/core/sending/replies/causes.ts";

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
export const findCauseByClearText = (message: string): Cause | null => first(CLEAR, message);

/** The cause that a reply's text suggests; null if none. */
export const findCauseByLikelyText = (message: string): Cause | null => first(LIKELY, message);

function first(patterns: Pattern[], message: string): Cause | null {
  // Addresses can contain any word, such as spam@.
  const text = message.toLowerCase().replace(/\S+@\S+/g, "<>");
  return patterns.find(([words]) => words.test(text))?.[1] ?? null;
}
