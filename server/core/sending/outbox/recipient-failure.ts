// cspell:ignore destinatario usuario utente utilisateur destinataire empf nger sconosciuto inesistente desconocido existe inconnu invalide unbekannt verif

/** Reply codes about the dialog (RFC 3207, 4954, 5321 and 7504), whatever their text says. */
const DIALOG_CODES = /^(50[0-4]|521|530|53[458]|555)\b/;

/** The reply is about the sender, even if it says that an address doesn't exist. */
const SENDER_FAILURES =
  /\bsender (address )?(rejected|refused|denied|verif)|verification failed for/;

/** The mailbox doesn't exist, is disabled or is full. */
const RECIPIENT_FAILURES = [
  /(user|recipient|mailbox|account|address|addressee|e-?mail)s?( \S+)? (is |are |was |has been )?(an? |currently )?(unknown|disabled|inactive|deactivated|unavailable|closed|suspended|invalid|not (found|known|exist|valid|active|available|local|listed)|terminated|expired|discontinued|over ?quota|full)/,
  /(no such|unknown|invalid|bad|nonexistent|non-existent|unrouteable|unroutable|undeliverable|unallocated|inactive|disabled|deactivated) (local )?(user|recipient|mailbox|account|address|person|destination|alias|rcpt|local.part)/,
  /(does ?n.?t|do(es)? not|not) (exist|have an? \S+ account|accept mail for this address)/,
  /not our customer|no mailbox (here )?by that name|no account by that name|not a (valid|known) (mailbox|user|recipient|address)|user doesn.t|no longer (valid|active|available|on server)/,
  /(account|mailbox|inbox|user|recipient)\b.{0,60}\b(disabled|inactive|does not exist|not found|full(?! details)|unavailable)/,
  /(destinatario|usuario|utente|utilisateur|destinataire|empf(ae?|ä)nger)\b.{0,30}\b(sconosciuto|inesistente|desconocido|no existe|inconnu|invalide|unbekannt)/,
  /over ?quota|quota (is )?exceeded|exceeded (its|the|storage|their) .{0,20}(quota|allocation|storage)|insufficient storage|mailbox size limit/,
  // Cisco, for recipients that aren't in its directory.
  /#5\.1\.0 address rejected/,
  // Microsoft 365, likewise.
  /5\.4\.1 (\S+ )?recipient address rejected: access denied/,
];

/** So clear about the recipient that a link to a policy page beside it doesn't matter. */
const CONCLUSIVE =
  /user unknown|unknown (local )?user|no such (user|person|mailbox)|mailbox (not found|full)|recipient (not found|unknown|address <> is not)|over ?quota|user (not found|does ?n.t exist)|does not exist|this mailbox is disabled|account that you tried to reach|mailbox size limit|blocked due to inactivity|5\.4\.1 (\S+ )?recipient address rejected: access denied/;

/** The server rejects this sender or this message, or gives no reason. */
const OTHER_FAILURES = [
  /black ?list|block ?list|blocked|deny ?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral|sorbs|abusix|cloudmark|\bs31[45]0\b|\bbl\d\d\b|\bcbl\b|\bpbl\b|\bsbl\b|\bxbl\b/,
  /\bspam|virus|malware|phish|suspicious|unsolicited|junk|gr[ae]y-?list/,
  /\b(daily|hourly|sending|outgoing|message) (sending |message |mail )?(quota|limit)|reputation|polic(y|ies)|abus(e|ive)|banned|poor|complaint|too many|rate limit|throttl|at a rate|too quickly/,
  /\bspf\b|\bdkim\b|\bdmarc\b|\bptr\b|reverse dns|rdns|unauthenticated|authenticat|fcrdns|hostname|helo|ehlo/,
  /relay|rcpthosts|\bsenders?\b|return.?path|not (permitted|authori[sz]ed|allowed)|client host|from address|sending (ip|domain|mta)|\byour (account|domain)\b/,
  /message (content|size|header|too|is too|has been|contains|rejected|refused|looks)|content (rejected|filter)|too (large|big)|size (limit|exceed)|exceeds.{0,30}size|attachment|maximum (message|file) size|line (too long|length)|bare (lf|cr|newline)|rfc ?[2-9]\d\d\d|header/,
  /connections? (will|are|is) not (be )?accepted|your (ip|network|server|provider|mail ?server|isp)|ip address|http error|temporar|denied|prohibit|country|try again|\blater\b/,
];

/** Enhanced codes that are conclusive. `true`: the recipient is at fault. */
const BY_CODE: [pattern: RegExp, aboutRecipient: boolean][] = [
  [/^5\.1\.(1|2|3|4|6|10)$/, true],
  [/^5\.1\.(7|8|9)$/, false],
  [/^5\.2\.[12]$/, true],
  [/^5\.2\.3$/, false],
  [/^5\.3\.4$/, false],
  [/^5\.6\./, false],
];

/**
 * Whether a permanent failure plainly concerns the recipient, so that the address can be suppressed. Any other reply
 * suppresses nothing, even if it is to RCPT: suppressing an address because our IP was on a blocklist for a day, or
 * because a server answered "Rejected", would lose a customer.
 *
 * @param dsn its enhanced status code, `5.x.x`
 * @param message the server's reply, beginning with its code
 */
export function isRecipientFailure(dsn: string, message: string): boolean {
  const text = normalizeReply(message);
  if (isOtherFailure(text)) return false;
  return recipientFailureByCode(dsn) ?? blamesRecipient(text);
}

/** Whether the enhanced code says that the recipient is at fault; undefined if it isn't conclusive. */
export const recipientFailureByCode = (dsn: string): boolean | undefined =>
  BY_CODE.find(([pattern]) => pattern.test(dsn))?.[1];

/** Derives an enhanced status code for a permanent failure of a recipient whose reply has none. */
export function deriveDsn(message: string): string {
  const text = normalizeReply(message);
  if (isOtherFailure(text)) return "5.0.0";
  if (/quota|(mailbox|inbox) (is )?full|insufficient storage/.test(text)) return "5.2.2";
  return blamesRecipient(text) ? "5.1.1" : "5.0.0";
}

/** Removes addresses, which can contain any word, such as spam@. */
const normalizeReply = (message: string): string => message.toLowerCase().replace(/\S+@\S+/g, "<>");

const isOtherFailure = (text: string): boolean =>
  DIALOG_CODES.test(text) ||
  SENDER_FAILURES.test(text) ||
  (OTHER_FAILURES.some((words) => words.test(text)) && !CONCLUSIVE.test(text));
const blamesRecipient = (text: string): boolean =>
  RECIPIENT_FAILURES.some((words) => words.test(text));
