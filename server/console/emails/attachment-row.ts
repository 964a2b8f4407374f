import { z } from "zod";

import type { ListedAttachment } from "#server/core/sending/emails/list-attachments.ts";

/** A file of an email, without its content: see get-attachment.ts. */
export const AttachmentRow = z.object({
  position: z.number().describe("Names it in its path"),
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  content_id: z.string().nullable().describe("Set for a file that the HTML shows"),
  size: z.number().describe("Octets"),
});

export const attachmentRow = (file: ListedAttachment): z.input<typeof AttachmentRow> => ({
  position: file.position,
  filename: file.filename,
  content_type: file.contentType,
  content_id: file.contentId,
  size: file.size,
});
