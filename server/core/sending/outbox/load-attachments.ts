import { asc, eq } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type StoredAttachment = {
  filename: string | null;
  contentType: string | null;
  contentId: string | null;
  content: Buffer;
};

/** Loads the attachments of an email in message order. Up to 20 MB, so load one email at a time. */
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
