/** The mailbox doesn't exist, is disabled or is full. */
const RECIPIENT_FAILURES = [
  /(user|recipient|mailbox|account|address|e-?mail)s?( \S+)? (is |are |was |has been )?(currently )?(unknown|disabled|inactive|unavailable|closed|suspended|deactivated|invalid|not (found|known|exist|valid|active|available|local)|terminated|expired|discontinued|over ?quota|full)/,
  /(no such|unknown|invalid|bad|nonexistent|non-existent|unrouteable|unroutable|undeliverable|unallocated|inactive|disabled) (local )?(user|recipient|mailbox|account|address|person|destination|alias|rcpt)/,
  /(does ?n.?t|do(es)? not|not) (exist|have an? \S+ account|accept mail for this address)/,
  /not our customer|no mailbox (here )?by that name|no account by that name|invalid mailbox|user not found|user doesn.t/,
  /(account|mailbox|inbox|user|recipient)\b.{0,60}\b(disabled|inactive|does not exist|not found|full(?! details)|unavailable)/,
  /over ?quota|quota (is )?exceeded|exceeded (its|the|storage|their) .{0,20}(quota|allocation|storage)|insufficient storage/,
  // Microsoft 365, for recipients that aren't in the tenant's directory.
  /recipient address rejected: access denied/,
];

/** The server rejects this sender or this message. */
const SENDER_OR_MESSAGE_FAILURES = [
  /black ?list|block ?list|blocked|deny ?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral|sorbs|abusix|cloudmark|\bs31[45]0\b|\bbl\d\d\b|\bcbl\b|\bpbl\b|\bsbl\b|\bxbl\b/,
  /\bspam|virus|malware|phish|suspicious|unsolicited|junk/,
  /\b(daily|hourly|sending|outgoing|message) (sending |message |mail )?(quota|limit)|reputation|polic(y|ies)|abus(e|ive)|banned|poor|complaint|too many|rate limit|throttl/,
  /\bspf\b|\bdkim\b|\bdmarc\b|\bptr\b|reverse dns|rdns|unauthenticated|authenticat|fcrdns|hostname|helo|ehlo/,
  /relay|rcpthosts|sender (address|domain|id|verify|host)|return.?path|envelope sender|not (permitted|authori[sz]ed|allowed) to|client host|from address|sending (ip|domain|mta)/,
  /message (content|size|header|too|is too|has been|contains|rejected|refused|looks)|content (rejected|filter)|too (large|big)|size (limit|exceed)|exceeds.{0,30}size|attachment|maximum (message|file) size|line (too long|length)|bare (lf|cr|newline)|rfc ?[2-9]\d\d\d|header/,
  /connections? (will|are|is) not (be )?accepted|your (ip|network|server|provider|mail ?server|isp)|ip address|http error|temporar/,
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

/** Codes (RFC 3463) that concern the sender, unless the text names the recipient. */
const USUALLY_SENDER_FAILURE = /^5\.(4|5|7)\./;

/**
 * Whether a permanent failure concerns the recipient rather than the message or the sender. Suppressing an
 * address because our IP was on a blocklist for a day would lose a customer.
 *
 * @param dsn its enhanced status code, `5.x.x`
 * @param message the server's reply
 * @param isToRcpt the reply is to RCPT, so it is about the recipient if nothing says otherwise
 */
export function isRecipientFailure(
  dsn: string,
  message: string,
  { isToRcpt }: { isToRcpt: boolean },
): boolean {
  const byCode = recipientFailureByCode(dsn);
  if (byCode !== undefined) return byCode;
  const text = normalizeReply(message);
  if (blamesSender(text) && !namesRecipient(text)) return false;
  if (blamesRecipient(text)) return true;
  return isToRcpt && !USUALLY_SENDER_FAILURE.test(dsn);
}

/** As `isRecipientFailure`, by the enhanced code alone; undefined if that isn't conclusive. */
export const recipientFailureByCode = (dsn: string): boolean | undefined =>
  BY_CODE.find(([pattern]) => pattern.test(dsn))?.[1];

/** Derives an enhanced status code for a permanent failure of a recipient whose reply has none. */
export function deriveDsn(message: string): string {
  const text = normalizeReply(message);
  if (blamesSender(text) && !namesRecipient(text)) return "5.0.0";
  if (/quota|(mailbox|inbox) (is )?full|insufficient storage/.test(text)) return "5.2.2";
  return blamesRecipient(text) ? "5.1.1" : "5.0.0";
}

/** Text so clear about the recipient that a link to a policy page beside it doesn't matter. */
function namesRecipient(text: string): boolean {
  return /user unknown|unknown user|no such user|mailbox (not found|full)|recipient (not found|unknown)|over ?quota|recipient address rejected: access denied|user (not found|does ?n.t exist)|does not exist/.test(
    text,
  );
}

/** Removes addresses, which can contain any word, such as spam@. */
const normalizeReply = (message: string): string => message.toLowerCase().replace(/\S+@\S+/g, "<>");

const blamesSender = (text: string): boolean =>
  SENDER_OR_MESSAGE_FAILURES.some((words) => words.test(text));
const blamesRecipient = (text: string): boolean =>
  RECIPIENT_FAILURES.some((words) => words.test(text));
