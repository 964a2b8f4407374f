import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { messages, quarantine } from "#drizzle/schema/index.ts";
import { deriveId, type RepeatIds } from "#server/core/shared/derive-id.ts";
import type { Posted } from "#server/core/mail/group-posts/post.ts";
import type { Db } from "#server/db/client.ts";

/** The ids of a distribution's messages. */
export function copyIds(id: string): Record<"here" | "outside" | "groups", string> {
  return {
    here: deriveId(id, "here"),
    outside: deriveId(id, "outside"),
    groups: deriveId(id, "groups"),
  };
}

/** The recipient count of a committed distribution; null if there is none. */
export async function findDistribution(db: Db, id: string, isRecent?: SQL): Promise<number | null> {
  const rows = await db
    .select({ recipients: messages.recipientCount })
    .from(messages)
    .where(and(inArray(messages.id, Object.values(copyIds(id))), isRecent));
  return rows.length === 0 ? null : rows.reduce((sum, { recipients }) => sum + recipients, 0);
}

/** The result of an earlier delivery of the same message; null if there was none. */
export async function findRepeat(
  db: Db,
  { id, previous, repeatsForMs }: RepeatIds,
): Promise<Posted | null> {
  const done = await findDistribution(db, id);
  if (done !== null) return { kind: "distributed", recipients: done };
  if (previous === null) return null;
  const isRecent = (createdAt: PgColumn) =>
    gt(createdAt, sql`statement_timestamp() - ${repeatsForMs} * interval '1 millisecond'`);
  const before = await findDistribution(db, previous, isRecent(messages.createdAt));
  if (before !== null) return { kind: "distributed", recipients: before };
  const isHeld = and(eq(quarantine.id, previous), isRecent(quarantine.createdAt));
  return (await db.$count(quarantine, isHeld)) > 0 ? { kind: "held" } : null;
}
