import { v7 } from "uuid";

import { quarantine, quarantineContents, type Quarantined } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { storableText } from "#server/core/shared/text.ts";
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
  /** A UUID, which makes this idempotent. */
  id?: string;
  /** The message with CRLF line endings and our trace fields on top. */
  content: Buffer;
};

const SHOWN_LENGTH_MAX = 998;

/**
 * Puts a message in quarantine until an admin decides. All its recipients must be of one company.
 *
 * @returns `isNew` is false if the id already exists
 */
export async function quarantineMessage(
  db: Db,
  { id = v7(), content, ...message }: NewQuarantined,
): Promise<{ id: string; isNew: boolean }> {
  return db.transaction(async (tx) => {
    const [made] = await tx
      .insert(quarantine)
      .values({
        ...message,
        id,
        headerFrom: storableText(message.headerFrom, SHOWN_LENGTH_MAX),
        subject: storableText(message.subject, SHOWN_LENGTH_MAX),
        findings: message.findings.map((finding) => storableText(finding, SHOWN_LENGTH_MAX)),
        size: content.length,
      })
      .onConflictDoNothing({ target: quarantine.id })
      .returning({ id: quarantine.id });
    if (!made) return { id, isNew: false };
    await tx.insert(quarantineContents).values({ quarantineId: id, content });
    return { id, isNew: true };
  });
}

export type QuarantineReason = Quarantined["reason"];

/**
 * The quarantine reasons that an admin can see and decide about: spam and viruses need `update_users`, group posts
 * need `manage_groups`. A privilege limited to some units isn't enough, since a message can be for several.
 */
export const visibleReasons = ({
  privileges,
}: Pick<HeldPrivileges, "privileges">): QuarantineReason[] => [
  ...(privileges.has("update_users") ? (["spam", "virus"] as const) : []),
  ...(privileges.has("manage_groups") ? (["moderation"] as const) : []),
];
