import { z } from "zod";

import type { IdentifiedAttachment } from "#server/core/sending/emails/list-attachments.ts";
import { isInlineType, sentAs } from "#server/core/sending/compose/attachment-part.ts";
import type { Context } from "#server/core/shared/context.ts";
import { downloadUrl } from "#server/core/shared/secrets/download-link.ts";

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
export const AttachmentListItem = z.object(attachmentFields).meta({ id: "AttachmentInList" });

/** A single attachment. */
export const AttachmentObject = z
  .object({ object: z.literal("attachment").describe("Object type"), ...attachmentFields })
  .meta({ id: "Attachment" });

export const ATTACHMENT_NOT_FOUND = "Attachment not found";

/** An attachment of a sent email. */
export function attachmentListItem(
  ctx: Context,
  emailId: string,
  file: IdentifiedAttachment,
): z.input<typeof AttachmentListItem> {
  const { id, position, size, contentId, isShown } = file;
  const { companyId } = ctx;
  const link = downloadUrl({ kind: "sent_attachment", companyId, emailId, position }, ctx.now());
  const { type, filename } = sentAs(file, position);
  return {
    ...{ id, filename, size, content_type: type.name },
    content_disposition: isShown && isInlineType(type) ? "inline" : "attachment",
    content_id: contentId ?? undefined,
    download_url: link.url,
    expires_at: link.expiresAt.toISOString(),
  };
}
