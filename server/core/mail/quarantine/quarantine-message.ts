import { v7 as uuidv7 } from "uuid";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type NewQuarantined = Pick<
  Quarantined,
  | "companyId"
  | "reason"
  | "sender"
  | "recipients"
  | "headerFrom"
  | "subject"
  | "clientAddress"
  | "score"
  | "findings"
> & {
  /** A uuid. A message that is kept twice under one id is one. */
  id?: string;
  /** RFC 5322 bytes with CRLF line ends, our trace fields on top. */
  content: Buffer;
};

/** Longest text kept for people to find a message by. */
const SHOWN_LENGTH_MAX = 998;

/**
 * Keeps a message from its recipients, all of one company, until somebody decides. It is kept once the
 * transaction it is called in commits (its own, outside one).
 *
 * @returns its id, and whether it is new
 */
export async function quarantineMessage(
  db: Db,
  { id = uuidv7(), content, ...message }: NewQuarantined,
): Promise<{ id: string; isNew: boolean }> {
  return db.transaction(async (tx) => {
    const [made] = await tx
      .insert(quarantine)
      .values({
        ...message,
        id,
        headerFrom: cleanText(message.headerFrom),
        subject: cleanText(message.subject),
        findings: message.findings.map(cleanText),
        size: content.length,
      })
      .onConflictDoNothing({ target: quarantine.id })
      .returning({ id: quarantine.id });
    if (!made) return { id, isNew: false };
    await tx.insert(quarantineContents).values({ quarantineId: id, content });
    return { id, isNew: true };
  });
}

/** Postgres takes no NUL and no half of a surrogate pair. */
const cleanText = (text: string) =>
  text.replaceAll("\0", "").slice(0, SHOWN_LENGTH_MAX).toWellFormed();
