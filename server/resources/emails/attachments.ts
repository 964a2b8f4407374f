import { z } from "zod";

import { isInlineType, sentAs } from "#server/core/sending/compose/attachment-part.ts";
import {
  type IdentifiedAttachment,
  requireAttachments,
} from "#server/core/sending/emails/attachments.ts";
import { pageInMemory } from "#server/core/shared/paging/pages.ts";
import { downloadUrl } from "#server/core/shared/secrets/link-token.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const attachment = {
  id: "7a1f3c55-2c0e-5b8e-9d0a-5f0f6a1f2e77",
  filename: "invoice.pdf",
  size: 48_213,
  content_type: "application/pdf",
  content_disposition: "attachment",
  download_url: "https://mail.example.com/downloads/kq3V0cYb",
  expires_at: "2026-03-02T10:30:00.000Z",
};

/** Samples for the attachments of a sent email. */
export const attachmentExamples = (emailId: string): Record<string, Example> => ({
  "GET /emails/{id}/attachments": {
    params: { id: emailId },
    answer: { object: "list", has_more: false, data: [attachment] },
    sdk: ["emails.attachments.list", { emailId }],
  },
  "GET /emails/{id}/attachments/{attachment_id}": {
    params: { id: emailId, attachment_id: attachment.id },
    answer: { object: "attachment", ...attachment },
    sdk: ["emails.attachments.get", { emailId, id: attachment.id }],
  },
});

export const attachmentFields = {
  id: z.uuid().describe("The attachment's ID; also the pagination cursor"),
  filename: z.string().optional().describe("File name; omitted if it has none"),
  size: z.number().describe("Size in bytes"),
  content_type: z.string().describe("Media type, such as `application/pdf`"),
  content_disposition: z
    .enum(["inline", "attachment"])
    .describe("`inline` for files that the HTML references by `content_id`"),
  content_id: z.string().optional().describe("Content-ID without angle brackets, if it has one"),
  download_url: z
    .string()
    .describe(
      "URL that downloads the file without an API key until `expires_at`. Anyone who has it can",
    ),
  expires_at: z.string().describe("When `download_url` expires, an hour from now"),
};

/** An attachment in a list. */
const AttachmentListItem = z.object(attachmentFields).meta({ id: "AttachmentInList" });

/** A single attachment. */
const AttachmentObject = z
  .object({ object: z.literal("attachment").describe("Object type"), ...attachmentFields })
  .meta({ id: "Attachment" });

export const ATTACHMENT_NOT_FOUND = "Attachment not found";

/** An attachment of a sent email. */
function attachmentListItem(
  ctx: Context,
  emailId: string,
  file: IdentifiedAttachment,
): z.input<typeof AttachmentListItem> {
  const { id, position, size, contentId, isShown } = file;
  const { companyId } = ctx;
  const link = downloadUrl({ kind: "sent_attachment", companyId, emailId, position }, ctx.now());
  const { type, filename } = sentAs(file, position);
  return {
    id,
    filename,
    size,
    content_type: type.name,
    content_disposition: isShown && isInlineType(type) ? "inline" : "attachment",
    content_id: contentId ?? undefined,
    download_url: link.url,
    expires_at: link.expiresAt.toISOString(),
  };
}

export const emailAttachmentsApi = {
  list: defineEndpoint("GET", "/emails/{id}/attachments", {
    summary: "List an email's attachments",
    description:
      "In message order. Content is deleted 3 days after sending; from then on this is a 404 that says so.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: pathOf("Email not found", { id: z.uuid().describe("The email's ID") }),
    query: PageQuery,
    response: listResponse(AttachmentListItem),
    handle: async ({ ctx, params: { id }, query }) => {
      const files = await requireAttachments(ctx, id);
      return listObject(pageInMemory(files, query), (file) => attachmentListItem(ctx, id, file));
    },
  }),

  get: defineEndpoint("GET", "/emails/{id}/attachments/{attachment_id}", {
    summary: "Retrieve an email's attachment",
    description:
      "Content is deleted 3 days after sending; from then on this is a 404 that says so, and links to it no longer work.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: pathOf("Attachment not found", {
      id: z.uuid().describe("The email's ID"),
      attachment_id: z.uuid().describe("The attachment's ID"),
    }),
    response: AttachmentObject,
    handle: async ({ ctx, params: { id, attachment_id } }) => {
      const file = (await requireAttachments(ctx, id)).find((one) => one.id === attachment_id);
      if (!file) throw new Refusal("not_found", ATTACHMENT_NOT_FOUND);
      return { object: "attachment" as const, ...attachmentListItem(ctx, id, file) };
    },
  }),
};
