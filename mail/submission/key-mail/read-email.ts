import type { AddressObject, EmailAddress, ParsedMail } from "mailparser";

import {
  formatAddress,
  parseAddress,
  type ParsedAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { decodeWords } from "#server/core/shared/mime/decode-words.ts";
import { toFileName } from "#server/core/shared/mime/file-parameter.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";
import type { HeaderField } from "#server/core/mail/submission/header-fields.ts";

// Some options of mailparser and its splitter are missing from its types.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  maxChildNodes: 100,
};

/** The API's limit. Anything beyond it is sent but not shown. */
const TEXT_CHARS_MAX = 2_000_000;

export type ParsedEmail = {
  email: Omit<EmailInput, "source"> & { scheduledAt: null };
  /** False when the email lacks the body because it can't be parsed. */
  isParsed: boolean;
};

/**
 * What the API shows of a message submitted over SMTP. The envelope determines the recipients: those not in
 * To or Cc are Bcc, and addresses in To or Cc that aren't in the envelope get nothing. A body that can't be
 * parsed is left out.
 *
 * @param from the one address in From
 * @param recipients of the envelope, bare
 */
export async function readEmail(
  content: Buffer,
  {
    from,
    fields,
    recipients,
  }: { from: ParsedAddress; fields: HeaderField[]; recipients: string[] },
): Promise<ParsedEmail> {
  const parsed = await parse(content);
  const mail = parsed ?? { html: false, attachments: [] };
  const { subject } = readHeader(content);
  const isReferenced = contentReferences(mail.html || null);
  const fromAddress = { ...from, name: sanitizeText(from.name) };
  const email = {
    ...splitRecipients(mail, new Set(recipients)),
    from: formatAddress(fromAddress),
    fromAddress,
    replyTo: listAddresses(mail.replyTo).flatMap(toHeaderAddress),
    subject,
    html: mail.html ? sanitizeText(mail.html) : null,
    text: mail.text ? sanitizeText(mail.text) : null,
    headers: listOtherHeaders(fields),
    tags: [],
    scheduledAt: null,
    attachments: mail.attachments.map(({ filename, contentType, content: bytes, cid }) => ({
      filename: filename === undefined ? null : toFileName(filename),
      contentType: sanitizeText(contentType),
      contentId: cid !== undefined && isReferenced(cid) ? sanitizeText(cid) : null,
      content: bytes,
    })),
  };
  return { email, isParsed: parsed !== null };
}

type Parsed = Pick<ParsedMail, "to" | "cc" | "replyTo" | "html" | "text" | "attachments">;

/** Null when the body can't be parsed. */
async function parse(content: Buffer): Promise<Parsed | null> {
  const { simpleParser } = await import("mailparser");
  try {
    return await simpleParser(content, OPTIONS);
  } catch {
    return null;
  }
}

/** The envelope's recipients by the field that names them, each once. */
function splitRecipients(mail: Parsed, recipients: Set<string>) {
  const visible = new Set<string>();
  const named = (field: Parsed["to"]) =>
    listAddresses(field)
      .flatMap(toHeaderAddress)
      .filter(({ address }) => {
        if (!recipients.has(address) || visible.has(address)) return false;
        visible.add(address);
        return true;
      });
  const to = named(mail.to);
  const cc = named(mail.cc);
  const hidden = [...recipients]
    .filter((address) => !visible.has(address))
    .map((address) => ({ name: "", address }));
  // One copy of many, such as a mailing list's: show its recipient in To.
  const isToOneHidden = visible.size === 0 && hidden.length === 1;
  return isToOneHidden ? { to: hidden, cc, bcc: [] } : { to, cc, bcc: hidden };
}

/** Replaces each group with its members. */
const listAddresses = (field: AddressObject | AddressObject[] | undefined): EmailAddress[] =>
  [field ?? []].flat().flatMap(({ value }) => value.flatMap((one) => one.group ?? one));

function toHeaderAddress({ name, address = "" }: EmailAddress): EmailInput["to"] {
  const parsed = parseAddress(address);
  return parsed ? [{ ...parsed, name: sanitizeText(name) }] : [];
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
