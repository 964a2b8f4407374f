import { asc, eq, sql } from "drizzle-orm";

import { emailAttachments, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { attachmentId } from "./attachment-id.ts";
import { getEmail, isEmail } from "./get-email.ts";

/** An attachment without its content. */
export type ListedAttachment = {
  /** Place in the message, from 0. */
  position: number;
  filename: string | null;
  contentType: string | null;
  contentId: string | null;
  /** Octets. */
  size: number;
};

/** Lists the attachments of an email of the company in message order, while they are retained. */
export function listAttachments(ctx: Context, emailId: string): Promise<ListedAttachment[]> {
  return ctx.db
    .select({
      position: emailAttachments.position,
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      size: sql<number>`octet_length(${emailAttachments.content})`,
    })
    .from(emailAttachments)
    .innerJoin(emails, eq(emails.id, emailAttachments.emailId))
    .where(isEmail(ctx, emailId))
    .orderBy(asc(emailAttachments.position));
}

/** An attachment with its id in the API. */
export type IdentifiedAttachment = ListedAttachment & {
  id: string;
  /** Whether the HTML refers to it by its content ID. */
  isShown: boolean;
};

/**
 * Lists the attachments of an email of the company in message order.
 *
 * @throws Refusal `not_found` for an unknown email, and once its content is deleted
 */
export async function requireAttachments(
  ctx: Context,
  emailId: string,
): Promise<IdentifiedAttachment[]> {
  const { body } = await getEmail(ctx, emailId);
  const files = await listAttachments(ctx, emailId);
  if (!body)
    throw new Refusal(
      "not_found",
      "This email's attachments are no longer stored. Content is deleted 3 days after sending",
    );
  const isReferenced = contentReferences(body.html);
  return files.map((file) => ({
    ...file,
    id: attachmentId(emailId, file.position),
    isShown: isReferenced(file.contentId),
  }));
}
