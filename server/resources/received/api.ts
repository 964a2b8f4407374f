import { z } from "zod";

import { ATTACHMENT_NOT_FOUND, attachmentFields } from "#server/resources/emails/attachments.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import {
  contentDisposition,
  getReceived,
  type ListedReceived,
  listReceived,
  listReceivedFiles,
  type ReceivedBody,
  type ReceivedFile,
} from "#server/core/mail/received/received-emails.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageInMemory } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { downloadUrl } from "#server/core/shared/secrets/link-token.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const ReceivedPath = pathOf("Received email not found", {
  id: z.uuid().describe("The received email's ID"),
});

const addresses = z.array(z.string()).nullable().describe("Addresses; null if there are none");

const receivedDisposition = z
  .enum(["inline", "attachment"])
  .nullable()
  .describe(
    "From Content-Disposition; without it, `inline` if the HTML references the file, otherwise null",
  );

/** An attachment of a received email, in a list. */
const ReceivedAttachmentItem = z
  .object({ ...attachmentFields, content_disposition: receivedDisposition })
  .meta({ id: "ReceivedAttachmentInList" });

/** A single attachment of a received email. */
const ReceivedAttachment = z
  .object({
    object: z.literal("attachment").describe("Object type"),
    ...attachmentFields,
    content_disposition: receivedDisposition,
  })
  .meta({ id: "ReceivedAttachment" });

const AttachmentSummary = z.object({
  id: attachmentFields.id,
  filename: z.string().nullable().describe("File name; null if it has none"),
  size: attachmentFields.size,
  content_type: attachmentFields.content_type,
  content_id: z.string().nullable().describe("Content-ID without angle brackets; null without"),
  content_disposition: receivedDisposition,
});

const fields = {
  id: z.uuid().describe("The received email's ID; also the pagination cursor"),
  to: z.array(z.string()).describe("Addresses in the To header"),
  from: z
    .string()
    .describe(
      "The From header, decoded, with names quoted where needed. It can be forged: see `authentication`",
    ),
  created_at: z.string().describe("When the email was received"),
  subject: z.string().describe("Subject line; empty if there is none"),
  bcc: addresses,
  cc: addresses,
  reply_to: addresses,
  received_for: z.array(z.string()).describe("Your addresses that the email was sent to"),
  message_id: z.string().describe("`Message-ID` header, in angle brackets; empty if there is none"),
  attachments: z.array(AttachmentSummary).describe("The attachments, without their content"),
  authentication: z
    .object({
      spf: z.string().nullable().describe("Result of SPF, such as `pass` or `softfail`"),
      dkim: z.string().nullable().describe("`pass` if any signature is valid"),
      dmarc: z.string().nullable().describe("`pass` means that the domain in `from` is genuine"),
    })
    .describe(
      "What the server found on arrival; null for mail from this server, which isn't checked",
    ),
  spam: z
    .object({
      is_spam: z
        .boolean()
        .describe("Whether mail to a mailbox would have gone to Junk or quarantine"),
      score: z.number().nullable().describe("The spam filter's score; null without one"),
    })
    .describe("Verdict of the spam filter"),
  replied_email_id: z
    .uuid()
    .nullable()
    .describe("ID of the sent email that this is a reply to; null if it isn't"),
};

/** A received email in a list. */
const ReceivedListItem = z.object(fields).meta({ id: "ReceivedEmailInList" });

/** A single received email. */
const ReceivedObject = z
  .object({
    object: z.literal("email").describe("Object type"),
    ...fields,
    html: z
      .string()
      .nullable()
      .describe("HTML version as received, up to 2 MB. Untrusted: sanitize it before you show it"),
    text: z.string().nullable().describe("Plain-text version as received, up to 2 MB"),
    headers: z
      .record(z.string(), z.string())
      .describe("Header fields by lowercase name; the values of repeated fields are joined"),
    raw: z
      .object({
        download_url: attachmentFields.download_url,
        expires_at: attachmentFields.expires_at,
      })
      .describe("The whole message, to download"),
  })
  .meta({ id: "ReceivedEmail" });

const orNull = (list: string[]) => (list.length > 0 ? list : null);

function receivedListItem(email: ListedReceived): z.input<typeof ReceivedListItem> {
  const { id, to, headerFrom: from, subject, receivedFor, messageId } = email;
  return {
    id,
    to,
    from,
    created_at: apiTimestamp(email.createdAt),
    subject,
    bcc: orNull(email.bcc),
    cc: orNull(email.cc),
    reply_to: orNull(email.replyTo),
    received_for: receivedFor,
    message_id: messageId ?? "",
    attachments: email.files.map(attachmentSummary),
    authentication: { spf: email.spf, dkim: email.dkim, dmarc: email.dmarc },
    spam: { is_spam: email.isSpam, score: email.spamScore },
    replied_email_id: email.repliedEmailId,
  };
}

const attachmentSummary = (file: ReceivedFile): z.input<typeof AttachmentSummary> => ({
  id: file.id,
  filename: file.filename,
  size: file.size,
  content_type: file.contentType,
  content_id: file.contentId,
  content_disposition: contentDisposition(file),
});

function receivedObject(
  ctx: Context,
  email: ListedReceived & ReceivedBody,
): z.input<typeof ReceivedObject> {
  const { html, text, headers } = email;
  const raw = linkTo(ctx, { kind: "received_message", emailId: email.id, position: 0 });
  return { object: "email" as const, ...receivedListItem(email), html, text, headers, raw };
}

/** An attachment of a received email. */
function receivedAttachment(ctx: Context, emailId: string, file: ReceivedFile) {
  const { id, filename, size, contentType, contentId, position } = file;
  return {
    id,
    filename: filename ?? undefined,
    size,
    content_type: contentType,
    content_disposition: contentDisposition(file),
    content_id: contentId ?? undefined,
    ...linkTo(ctx, { kind: "received_attachment", emailId, position }),
  } as const;
}

type File = Omit<Parameters<typeof downloadUrl>[0], "companyId">;

function linkTo({ companyId, now }: Context, file: File) {
  const { url, expiresAt } = downloadUrl({ ...file, companyId }, now());
  return { download_url: url, expires_at: expiresAt.toISOString() };
}

const RECEIVED = "0198c0e1-1a2b-7c3d-8e4f-5a6b7c8d9e0f";

const EXPIRES_AT = "2026-03-02T11:02:00.000Z";

const summary = {
  id: "4b0f2f0e-8c55-5d0a-b1f5-0e9a4f7c1d22",
  filename: "photo.jpg",
  size: 182_044,
  content_type: "image/jpeg",
};

const received = {
  id: RECEIVED,
  to: ["support@shop.example"],
  from: "Ben <ben@example.net>",
  created_at: "2026-03-02 10:02:00.201177+00",
  subject: "Re: Your order 1042",
  bcc: null,
  cc: null,
  reply_to: null,
  received_for: ["support@shop.example"],
  message_id: "<CA+8kZ1@mail.example.net>",
  attachments: [{ ...summary, content_id: null, content_disposition: "attachment" }],
  authentication: { spf: "pass", dkim: "pass", dmarc: "pass" },
  spam: { is_spam: false, score: -0.4 },
  replied_email_id: "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11",
};

const attachment = {
  ...summary,
  content_disposition: "attachment",
  download_url: "https://mail.example.com/downloads/pN5wQ2aX",
  expires_at: EXPIRES_AT,
};

const list = (data: object) => ({ object: "list", has_more: false, data: [data] });

/** Samples for received emails. */
export const receivedExamples: Record<string, Example> = {
  "GET /emails/receiving": {
    query: { limit: "20" },
    answer: list(received),
    sdk: ["emails.receiving.list", { limit: 20 }],
  },
  "GET /emails/receiving/{id}": {
    params: { id: RECEIVED },
    answer: {
      object: "email",
      ...received,
      html: null,
      text: "The parcel was damaged, see the photo.\n",
      headers: { from: "Ben <ben@example.net>", subject: "Re: Your order 1042" },
      raw: { download_url: "https://mail.example.com/downloads/hG7sK4bD", expires_at: EXPIRES_AT },
    },
    sdk: ["emails.receiving.get", RECEIVED],
  },
  "GET /emails/receiving/{id}/attachments": {
    params: { id: RECEIVED },
    answer: list(attachment),
    sdk: ["emails.receiving.attachments.list", { emailId: RECEIVED }],
  },
  "GET /emails/receiving/{id}/attachments/{attachment_id}": {
    params: { id: RECEIVED, attachment_id: summary.id },
    answer: { object: "attachment", ...attachment },
    sdk: ["emails.receiving.attachments.get", { emailId: RECEIVED, id: summary.id }],
  },
};

export const receivedApi = {
  list: defineEndpoint("GET", "/emails/receiving", {
    summary: "List received emails",
    description:
      "What your inbound addresses received, newest first. Emails are kept for 30 days unless the operator sets another time.",
    privilege: READ_EMAILS,
    query: PageQuery,
    response: listResponse(ReceivedListItem),
    handle: async ({ ctx, query }) => listObject(await listReceived(ctx, query), receivedListItem),
  }),

  get: defineEndpoint("GET", "/emails/receiving/{id}", {
    summary: "Retrieve a received email",
    privilege: READ_EMAILS,
    params: ReceivedPath,
    query: z.object({
      html_format: z
        .enum(["data_uri", "cid"], { error: "must be data_uri or cid" })
        .default("data_uri")
        .describe(
          "Inline images in `html`: as `data:` URLs, up to 5 MB in all, or as `cid:` references to the `content_id` of attachments",
        ),
    }),
    response: ReceivedObject,
    handle: async ({ ctx, params: { id }, query: { html_format } }) =>
      receivedObject(ctx, await getReceived(ctx, id, { embedsImages: html_format === "data_uri" })),
  }),

  listAttachments: defineEndpoint("GET", "/emails/receiving/{id}/attachments", {
    summary: "List a received email's attachments",
    description: "In message order.",
    privilege: READ_EMAILS,
    params: ReceivedPath,
    query: PageQuery,
    response: listResponse(ReceivedAttachmentItem),
    handle: async ({ ctx, params: { id }, query }) => {
      const files = await listReceivedFiles(ctx, id);
      return listObject(pageInMemory(files, query), (file) => receivedAttachment(ctx, id, file));
    },
  }),

  getAttachment: defineEndpoint("GET", "/emails/receiving/{id}/attachments/{attachment_id}", {
    summary: "Retrieve a received email's attachment",
    privilege: READ_EMAILS,
    params: pathOf("Attachment not found", {
      ...ReceivedPath.shape,
      attachment_id: z.uuid().describe("The attachment's ID"),
    }),
    response: ReceivedAttachment,
    handle: async ({ ctx, params: { id, attachment_id } }) => {
      const file = (await listReceivedFiles(ctx, id)).find((one) => one.id === attachment_id);
      if (!file) throw new Refusal("not_found", ATTACHMENT_NOT_FOUND);
      return { object: "attachment" as const, ...receivedAttachment(ctx, id, file) };
    },
  }),
};
