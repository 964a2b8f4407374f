import { createHash } from "node:crypto";

import { v7 as uuidv7 } from "uuid";

import {
  addressDomain,
  formatAddress,
  type ParsedAddress,
  parseRecipient,
} from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isSenderDomain } from "#server/core/domains/domains/sending-domains.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { sendEmail } from "#server/core/sending/emails/send-emails.ts";
import {
  isIdempotencyKey,
  KEY_CHARS_MAX,
  keyedEndpoint,
  type KeyLock,
  runIdempotently,
} from "#server/core/sending/idempotency/idempotency.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { completeContent } from "#server/core/mail/submission/complete-content.ts";
import {
  readShownContent,
  type ShownContent,
  SHOWN_CHARS_MAX,
} from "#server/core/mail/submission/read-shown-content.ts";
import {
  readHeaderFields,
  readSubmittedAuthor,
  type SubmittedField,
} from "#server/core/mail/submission/submitted-header.ts";
import { SubmissionError } from "#server/core/mail/submission/submitter.ts";
import type { Db } from "#server/db/client.ts";
import { decodeWords } from "#server/core/shared/mime/encoded-words.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { readAddresses } from "#server/core/shared/mime/read-addresses.ts";
import { storableText } from "#server/core/shared/text.ts";

import { requireKey, type SessionUser } from "./sign-in.ts";

/** Works like `Idempotency-Key` in the REST API; removed before sending. */
const IDEMPOTENCY_FIELD = "resend-idempotency-key";
/** Idempotency keys are stored per endpoint. */
const ENDPOINT = "SMTP";

type Recipient = Pick<ParsedAddress, "address" | "written">;

type KeyMail = {
  user: Extract<SessionUser, { kind: "key" }>;
  /** From the envelope. */
  recipients: Recipient[];
  clientAddress: string;
};

/**
 * Sends a message submitted with an API key. The message goes out as written, to the recipients of the
 * envelope, with the checks, limits, events and tracking of an email sent over REST.
 *
 * @throws Refusal, SubmissionError
 */
export async function sendAsEmail(
  db: Db,
  content: Buffer,
  { user, recipients, clientAddress }: KeyMail,
  { hostname, now }: { hostname: string; now: Date },
): Promise<{ id: string }> {
  const key = await requireKey(db, { token: user.token, clientAddress });
  const parts = readHeaderFields(content);
  const { from, sender, fields } = readSubmittedAuthor(
    parts.fields.filter(({ name }) => name !== IDEMPOTENCY_FIELD),
  );
  const id = uuidv7();
  const source = completeContent({ ...parts, fields }, { id, from: from.address, hostname, now });
  const bare = recipients.map(({ address }) => address);
  const ctx: Context = {
    db,
    companyId: key.companyId,
    actor: { kind: "api_key", keyId: key.keyId, keyName: key.keyName, adminId: key.adminId },
    now: () => now,
    isTest: key.isTest,
  };
  await requireOwnSender(ctx, sender);
  const shown = await readShownContent(source.content);
  const header = readHeader(source.content, { from, fields, recipients: bare });
  const email = { ...addWrittenAddresses(header, recipients), ...toBody(shown) };
  const send = (keyLock: KeyLock | null) => sendEmail(ctx, key, { ...email, source }, keyLock, id);
  const idempotencyKey = readIdempotencyKey(parts.fields);
  if (idempotencyKey === null) return send(null);
  const { answer } = await runIdempotently(
    db,
    {
      companyId: ctx.companyId,
      endpoint: keyedEndpoint(ctx, ENDPOINT),
      key: idempotencyKey,
      bodyHash: hashEmail(email, shown.isWhole ? null : parts.rest),
    },
    send,
  );
  return answer;
}

/** The recipients as written in the envelope, for RCPT TO. */
function addWrittenAddresses(header: ShownHeader, recipients: Recipient[]) {
  const known = new Map(recipients.map(({ address, written }) => [address, written]));
  const named = (all: EmailInput["to"]) =>
    all.map(({ name, address }) => {
      const written = known.get(address);
      return { name, address, ...(written !== undefined && { written }) };
    });
  return { ...header, to: named(header.to), cc: named(header.cc), bcc: named(header.bcc) };
}

/**
 * Applies the From rule to Sender, since mail apps show both.
 *
 * @throws SubmissionError
 */
async function requireOwnSender(ctx: Context, sender: ParsedAddress | null): Promise<void> {
  if (!sender || (await isSenderDomain(ctx, addressDomain(sender.address)))) return;
  const domains = ctx.isTest ? "domains" : "verified domains";
  throw new SubmissionError(
    "5.7.1",
    `The Sender address ${sender.address} isn't on one of the company's ${domains}`,
  );
}

function readIdempotencyKey(fields: SubmittedField[]): string | null {
  const [field, ...others] = fields.filter(({ name }) => name === IDEMPOTENCY_FIELD);
  if (!field) return null;
  if (others.length > 0 || !isIdempotencyKey(field.value))
    throw new Refusal(
      "invalid_idempotency_key",
      `Resend-Idempotency-Key must be given once and be 1 to ${KEY_CHARS_MAX} characters`,
    );
  return field.value;
}

/**
 * A hash of the content only: when programs resend a message, its Date, Message-ID and boundary differ.
 *
 * @param unparsed the bytes of a body that can't be parsed
 */
function hashEmail(
  { attachments, ...email }: Omit<EmailInput, "source">,
  unparsed: Buffer | null,
): string {
  const hash = createHash("sha256").update(JSON.stringify(email));
  if (unparsed) hash.update(unparsed);
  for (const { content, ...file } of attachments)
    hash.update(JSON.stringify([file, content.length])).update(content);
  return hash.digest("hex");
}

/**
 * What the API shows of the header. The envelope determines the recipients: those not in
 * To or Cc are Bcc, and addresses in To or Cc that aren't in the envelope get nothing.
 *
 * @param from the one address in From
 * @param recipients of the envelope, bare
 */
function readHeader(
  content: Buffer,
  {
    from,
    fields,
    recipients,
  }: { from: ParsedAddress; fields: SubmittedField[]; recipients: string[] },
) {
  const message = new Message(content);
  const fromAddress = { ...from, name: sanitizeText(from.name) };
  return {
    ...splitRecipients(message, new Set(recipients)),
    from: formatAddress(fromAddress),
    fromAddress,
    replyTo: listAddresses(message, "reply-to"),
    subject: message.header.subject,
    headers: listOtherHeaders(fields),
    tags: [],
    scheduledAt: null,
  };
}

type ShownHeader = ReturnType<typeof readHeader>;

const toBody = ({ html, text, files }: ShownContent) => ({
  html,
  text,
  attachments: files.map(({ content, ...file }) => ({
    ...file,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  })),
});

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
const listOtherHeaders = (fields: SubmittedField[]): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => !SHOWN_ELSEWHERE.test(name))
      .map(({ bytes, value }) => [
        bytes.toString("latin1", 0, bytes.indexOf(":")).trim(),
        sanitizeText(decodeWords(Buffer.from(value).toString("latin1"))),
      ]),
  );

const sanitizeText = (text: string) => storableText(text, SHOWN_CHARS_MAX);
