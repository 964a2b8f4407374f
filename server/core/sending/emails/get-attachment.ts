import { and, eq } from "drizzle-orm";

import { emailAttachments, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { StoredAttachment } from "#server/core/sending/outbox/load-attachments.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { isEmail } from "./get-email.ts";

/**
 * Returns an attachment of an email of the company.
 *
 * @param position place in the message, from 0
 * @throws Refusal `not_found`, also after its retention period
 */
export async function getAttachment(
  ctx: Context,
  emailId: string,
  position: number,
): Promise<StoredAttachment> {
  const [file] = await ctx.db
    .select({
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      content: emailAttachments.content,
    })
    .from(emailAttachments)
    .innerJoin(emails, eq(emails.id, emailAttachments.emailId))
    .where(and(isEmail(ctx, emailId), eq(emailAttachments.position, position)));
  if (!file) throw new Refusal("not_found", "Attachment not found");
  return file;
}
