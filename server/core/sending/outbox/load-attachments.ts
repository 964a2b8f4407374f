import { asc, eq } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A file of an email, as its message is made from it. */
export type StoredAttachment = {
  filename: string | null;
  contentType: string | null;
  contentId: string | null;
  content: Buffer;
};

/** The files of an email, in the order of the message. Up to 20 MB: for one email at a time. */
export async function loadAttachments(db: Db, emailId: string): Promise<StoredAttachment[]> {
  return db
    .select({
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      content: emailAttachments.content,
    })
    .from(emailAttachments)
    .where(eq(emailAttachments.emailId, emailId))
    .orderBy(asc(emailAttachments.position));
}
