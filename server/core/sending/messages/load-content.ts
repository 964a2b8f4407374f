import { eq, sql } from "drizzle-orm";

import { messageContents } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Loads the bytes of a message; null if deleted. */
export async function loadContent(db: Db, messageId: string): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: messageContents.content })
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  return row?.content ?? null;
}

/** Loads the first `octets` of a message: enough for the header, without the attachments. */
export async function loadContentStart(
  db: Db,
  messageId: string,
  octets: number,
): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: sql<Buffer>`substring(${messageContents.content} for ${octets}::int)` })
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  return row?.content ?? null;
}
