import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import type { Reply } from "#worker/delivery/smtp/reply.ts";

const MESSAGE_CHARACTERS_MAX = 500;

/** The step that the reply belongs to. */
export type Stage = "greeting" | "hello" | "auth" | "mail" | "rcpt" | "data" | "content";

/** The mailbox is not there, closed or full. */
const ABOUT_RECIPIENT = [
  /(user|recipient|mailbox|account|address|e-?mail)s?( \S+)? (is |are |was |has been )?(currently )?(unknown|disabled|inactive|unavailable|closed|suspended|deactivated|invalid|not (found|known|exist|valid|active|available|local)|terminated|expired|discontinued|over ?quota|full)/,
  /(no such|unknown|invalid|bad|nonexistent|non-existent|unrouteable|unroutable|undeliverable|unallocated|inactive|disabled) (local )?(user|recipient|mailbox|account|address|person|destination|alias|rcpt)/,
  /(does ?n.?t|do(es)? not|not) (exist|have an? \S+ account|accept mail for this address)/,
  /not our customer|no mailbox (here )?by that name|no account by that name|invalid mailbox|user not found|user doesn.t/,
  /(account|mailbox|user|recipient)\b.{0,60}\b(disabled|inactive|does not exist|not found|full|unavailable)/,
  /over ?quota|quota (is )?exceeded|exceeded (its|the|storage|their) .{0,20}(quota|allocation|storage)|insufficient storage/,
  // Microsoft 365 for a recipient who is not in the directory of the tenant.
  /recipient address rejected: access denied/,
];

/** They do not take mail from us, or not this message. */
const ABOUT_US_OR_MESSAGE = [
  /black ?list|block ?list|blocked|deny ?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral|sorbs|abusix|cloudmark|\bs31[45]0\b|\bbl\d\d\b|\bcbl\b|\bpbl\b|\bsbl\b|\bxbl\b/,
  /\bspam|virus|malware|phish|suspicious|unsolicited|junk/,
  /reputation|polic(y|ies)|abus(e|ive)|banned|poor|complaint|too many|rate limit|throttl/,
  /\bspf\b|\bdkim\b|\bdmarc\b|\bptr\b|reverse dns|rdns|unauthenticated|authenticat|fcrdns|hostname|helo|ehlo/,
  /relay|rcpthosts|sender (address|domain|id|verify|host)|return.?path|envelope sender|not (permitted|authori[sz]ed|allowed) to|client host|from address|sending (ip|domain|mta)/,
  /message (content|size|header|too|is too|has been|contains|rejected|refused|looks)|content (rejected|filter)|too (large|big)|size (limit|exceed)|exceeds.{0,30}size|attachment|maximum (message|file) size|line (too long|length)|bare (lf|cr|newline)|rfc ?[2-9]\d\d\d|header/,
  /connections? (will|are|is) not (be )?accepted|your (ip|network|server|provider|mail ?server|isp)|ip address|http error|temporar/,
];

/** Enhanced codes that settle by themselves whose fault it is. `true`: the recipient's. */
const BY_CODE: [pattern: RegExp, aboutRecipient: boolean][] = [
  [/^5\.1\.(1|2|3|4|6|10)$/, true],
  [/^5\.1\.(7|8|9)$/, false],
  [/^5\.2\.[12]$/, true],
  [/^5\.2\.3$/, false],
  [/^5\.3\.4$/, false],
  [/^5\.6\./, false],
];

/** Subjects of enhanced codes (RFC 3463) that are about us, unless the text names the recipient. */
const USUALLY_ABOUT_US = /^5\.(4|5|7)\./;

/**
 * What a reply means for one recipient. 4xx is tried again. 5xx is final, and the recipient's own fault
 * unless the reply is plainly about the message or about us: an address that we stop writing to because
 * our IP was on a blocklist for a day is a customer lost.
 */
export function classifyReply(reply: Reply, stage: Stage): Failure {
  const message = readMessage(reply);
  if (stage === "content" && reply.code >= 200 && reply.code < 300)
    return { result: "delivered", dsn: readDsn(reply, message, stage), message, suppress: false };
  // A yes to something else is nonsense, and nonsense may pass.
  if (reply.code < 400) return { result: "delayed", dsn: "4.5.0", message, suppress: false };
  const dsn = readDsn(reply, message, stage);
  if (reply.code < 500) return { result: "delayed", dsn, message, suppress: false };
  return { result: "bounced", dsn, message, suppress: isAboutRecipient(dsn, message, stage) };
}

function isAboutRecipient(dsn: string, message: string, stage: Stage): boolean {
  if (stage !== "rcpt" && stage !== "content") return false;
  const byCode = BY_CODE.find(([pattern]) => pattern.test(dsn));
  if (byCode) return byCode[1];
  const text = readWords(message);
  if (saysUs(text) && !namesRecipient(text)) return false;
  if (saysRecipient(text)) return true;
  return !USUALLY_ABOUT_US.test(dsn);
}

/** Texts so clear about the recipient that a link to a policy page beside them says nothing. */
function namesRecipient(text: string): boolean {
  return /user unknown|unknown user|no such user|mailbox (not found|full)|recipient (not found|unknown)|over ?quota|recipient address rejected: access denied|user (not found|does ?n.t exist)|does not exist/.test(
    text,
  );
}

/** Their text on one line, without what could do harm in a log or on a page. */
function readMessage({ code, lines }: Reply): string {
  const [enhancedCode = ""] = /^[245]\.\d{1,3}\.\d{1,3} /.exec(lines[0] ?? "") ?? [];
  const text = lines
    // Some servers begin each line with the code.
    .map((line, at) =>
      at > 0 && line.startsWith(enhancedCode) ? line.slice(enhancedCode.length) : line,
    )
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${code} ${text}`.trim().slice(0, MESSAGE_CHARACTERS_MAX);
}

/** The server's enhanced code, in the class of its reply code, or one made from what it said. */
function readDsn({ code, lines }: Reply, message: string, stage: Stage): string {
  const digit = Math.floor(code / 100);
  // At the begin, or where qmail has it: "sorry, no mailbox here by that name. (#5.1.1)".
  const [, first, last] =
    /^\W{0,2}[245]\.(\d{1,3}\.\d{1,3})\b(?!\.)|\(#[245]\.(\d{1,3}\.\d{1,3})\)/.exec(
      lines[0] ?? "",
    ) ?? [];
  const detail = first ?? last;
  if (detail) return `${digit}.${detail}`;
  const isRefusal = digit === 5 && (stage === "rcpt" || stage === "content");
  return isRefusal ? deriveDsn(readWords(message)) : `${digit}.0.0`;
}

function deriveDsn(text: string): string {
  if (/quota|mailbox (is )?full|insufficient storage/.test(text)) return "5.2.2";
  if (saysUs(text) && !namesRecipient(text)) return "5.0.0";
  return saysRecipient(text) ? "5.1.1" : "5.0.0";
}

/** What is matched: an address in it may hold any word, such as spam@. */
const readWords = (message: string): string => message.toLowerCase().replace(/\S+@\S+/g, "<>");

const saysUs = (text: string): boolean => ABOUT_US_OR_MESSAGE.some((words) => words.test(text));
const saysRecipient = (text: string): boolean => ABOUT_RECIPIENT.some((words) => words.test(text));
