import {
  formatAddress,
  parseRecipient,
  type ParsedAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import { detectFileType } from "#server/core/sending/compose/attachment-part.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { decodeWords } from "#server/core/shared/mime/decode-words.ts";
import { toFileName } from "#server/core/shared/mime/file-parameter.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { readAddresses } from "#server/core/shared/mime/read-addresses.ts";
import { readMessage } from "#server/core/shared/mime/read-message.ts";
import type { HeaderField } from "#server/core/mail/submission/header-fields.ts";

const FILES_MAX = 100;

/** The API's limit. Anything beyond it is sent but not shown. */
const TEXT_CHARS_MAX = 2_000_000;

export type ParsedEmail = {
  email: Omit<EmailInput, "source"> & { scheduledAt: null };
  /** False when the email lacks some of the files, which are over a limit. */
  isWhole: boolean;
};

/**
 * What the API shows of a message submitted over SMTP. The envelope determines the recipients: those not in
 * To or Cc are Bcc, and addresses in To or Cc that aren't in the envelope get nothing.
 *
 * @param from the one address in From
 * @param recipients of the envelope, bare
 */
export function readEmail(
  content: Buffer,
  {
    from,
    fields,
    recipients,
  }: { from: ParsedAddress; fields: HeaderField[]; recipients: string[] },
): ParsedEmail {
  const { text, html, files, filesTotal } = readMessage(content, { filesMax: FILES_MAX });
  const message = new Message(content);
  const isReferenced = contentReferences(html);
  const fromAddress = { ...from, name: sanitizeText(from.name) };
  const email = {
    ...splitRecipients(message, new Set(recipients)),
    from: formatAddress(fromAddress),
    fromAddress,
    replyTo: listAddresses(message, "reply-to"),
    subject: message.header.subject,
    html: html === null ? null : sanitizeText(html),
    text: text === null ? null : sanitizeText(text),
    headers: listOtherHeaders(fields),
    tags: [],
    scheduledAt: null,
    attachments: files.map(({ filename, type, content: bytes, contentId }) => ({
      filename: filename === null ? null : toFileName(filename),
      contentType: detectFileType(type, filename),
      contentId: contentId !== null && isReferenced(contentId) ? sanitizeText(contentId) : null,
      content: bytes,
    })),
  };
  return { email, isWhole: filesTotal === files.length };
}

/** The envelope's recipients by the field that names them, each once. */
function splitRecipients(message: Message, recipients: Set<string>) {
  const visible = new Set<string>();
  const named = (name: string) =>
    listAddresses(message, name).filter(({ address }) => {
      if (!recipients.has(address) || visible.has(address)) return false;
      visible.add(address);
      return true;
    });
  const to = named("to");
  const cc = named("cc");
  const hidden = [...recipients]
    .filter((address) => !visible.has(address))
    .map((address) => ({ name: "", address }));
  // One copy of many, such as a mailing list's: show its recipient in To.
  const isToOneHidden = visible.size === 0 && hidden.length === 1;
  return isToOneHidden ? { to: hidden, cc, bcc: [] } : { to, cc, bcc: hidden };
}

function listAddresses(message: Message, field: string): EmailInput["to"] {
  return message
    .values(field)
    .flatMap(readAddresses)
    .flatMap(({ name, address }) => {
      const parsed = parseRecipient(address);
      return parsed ? [{ ...parsed, name: sanitizeText(name) }] : [];
    });
}

/** Fields that the email has columns for, or that describe the MIME structure. */
const SHOWN_ELSEWHERE =
  /^(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|received|dkim-signature)$/;

/** The last field of a name wins. */
const listOtherHeaders = (fields: HeaderField[]): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => !SHOWN_ELSEWHERE.test(name))
      .map(({ bytes, value }) => [
        bytes.toString("latin1", 0, bytes.indexOf(":")).trim(),
        sanitizeText(decodeWords(Buffer.from(value).toString("latin1"))),
      ]),
  );

/** Postgres can't store NUL. */
const sanitizeText = (text: string) =>
  text.slice(0, TEXT_CHARS_MAX).replaceAll("\0", "").toWellFormed();
