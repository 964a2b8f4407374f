import { hasBareLineBreak } from "#mail/smtp/content.ts";
import {
  HEADER_LINES_MAX,
  HEADER_OCTETS_MAX,
  headerEnd,
  type HeaderField,
} from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { hasLongLine } from "#server/core/shared/mime/seven-bit.ts";

import { SmtpReply } from "./smtp-reply.ts";

/** RFC 5321, 4.5.3.1.6 allows 1,000 octets, but legitimate servers that do not fold lines send more. */
const LINE_OCTETS_MAX = 8_192;
/** RFC 5321, 6.3: more hops than any legitimate route. */
const HOPS_MAX = 50;

const [LF, CR, NUL] = [0x0a, 0x0d, 0x00];
const BLANKS = [0x20, 0x09, CR, LF];

/**
 * Rejects messages that servers may parse differently, which enables SMTP smuggling, and mail loops.
 *
 * @param isCompleted long lines of the body will be encoded (`completeContent`)
 * @throws SmtpReply
 */
export function requireSafeContent(message: Message, { isCompleted = false } = {}): void {
  const { raw } = message;
  if (hasBareLineBreak(raw))
    throw new SmtpReply(550, "5.6.11", "Lines must end with CRLF; bare CR or LF is not allowed");
  if (raw.includes(NUL)) throw new SmtpReply(550, "5.6.0", "The message contains a NUL byte");
  if (hasLongLine(isCompleted ? raw.subarray(0, headerEnd(raw)) : raw, LINE_OCTETS_MAX))
    throw new SmtpReply(550, "5.6.0", `A line is longer than ${LINE_OCTETS_MAX} bytes`);
  if (hasLargeHeader(raw)) throw new SmtpReply(550, "5.6.0", "The message header is too large");
  checkFields(message.fields);
  if (message.named("received").length > HOPS_MAX)
    throw new SmtpReply(554, "5.4.6", "Too many hops: the message is probably in a mail loop");
}

const BLANK_LINES_MAX = 100;
/** Of one field with its folds. To has room for 1,500 recipients, and From for 20 authors. */
const FIELD_OCTETS_MAX = 64 * 1024;
const FROM_OCTETS_MAX = 2 * 1024;

function hasLargeHeader(message: Buffer): boolean {
  const end = headerEnd(message);
  if (end > HEADER_OCTETS_MAX) return true;
  let [lines, blank] = [0, 0];
  for (let at = 0; at < end;) {
    const lf = message.indexOf(LF, at);
    const next = lf === -1 ? end : lf + 1;
    if (isBlank(message, at, next)) blank++;
    lines++;
    at = next;
  }
  return lines > HEADER_LINES_MAX || blank > BLANK_LINES_MAX;
}

/** White space only: a fold with nothing in it. */
function isBlank(message: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!BLANKS.includes(message[at]!)) return false;
  return true;
}

function checkFields(fields: HeaderField[]): void {
  for (const { name, start, end } of fields) {
    const max = name === "from" ? FROM_OCTETS_MAX : FIELD_OCTETS_MAX;
    if (end - start <= max) continue;
    const shown = /^[\w-]{1,64}$/.test(name) ? `The header field ${name}` : "A header field";
    throw new SmtpReply(550, "5.6.0", `${shown} is longer than ${max} bytes`);
  }
}
