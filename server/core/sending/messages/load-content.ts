import { eq, sql } from "drizzle-orm";

import { messageContents } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** The bytes of a message as they were taken on; null when they are gone. */
export async function loadContent(db: Db, messageId: string): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: messageContents.content })
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  return row?.content ?? null;
}

/** As `loadContent`, no more than the first `octets` of it: a header, without a file behind it. */
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
