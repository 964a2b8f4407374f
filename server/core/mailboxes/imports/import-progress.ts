import { and, eq, sql } from "drizzle-orm";

import {
  mailImportBatches,
  mailImportErrors,
  type MailImportFolder,
  mailImportFolders,
  mailImports,
} from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { readSequenceSet, toSequenceSet } from "#server/gateways/dovecot-imap.ts";

import { type ImportLease, isLeased, renewed, requireLeased } from "./import-leases.ts";

export type FoundFolder = { source: string; target: string; messages: number };

/**
 * Records the folders found at the source, and the size of the pass.
 *
 * @returns their rows, in the same order
 * @throws ImportStopped
 */
export async function recordFolders(
  db: Db,
  lease: ImportLease,
  found: FoundFolder[],
): Promise<MailImportFolder[]> {
  const importId = lease.id;
  return db.transaction(async (tx) => {
    const messagesTotal = found.reduce((sum, { messages }) => sum + messages, 0);
    requireLeased(
      await tx
        .update(mailImports)
        .set({ ...renewed, messagesTotal })
        .where(isLeased(lease))
        .returning({ id: mailImports.id }),
    );
    const rows: MailImportFolder[] = [];
    for (const { source, target, messages } of found) {
      const counted = { messagesTotal: messages, messagesDone: 0, finishedAt: null };
      const [row] = await tx
        .insert(mailImportFolders)
        .values({ importId, source, target, ...counted })
        .onConflictDoUpdate({
          target: [mailImportFolders.importId, mailImportFolders.source],
          // A folder that was never opened gets the target of today, which can differ after an update.
          set: {
            ...counted,
            target: sql`case when ${mailImportFolders.targetUidValidity} is null
              then excluded.target else ${mailImportFolders.target} end`,
          },
        })
        .returning();
      rows.push(row!);
    }
    return rows;
  });
}

/** A message that was imported earlier. */
export type ImportedMessage = {
  sourceUid: number;
  targetUid: number;
  /** At the source, when it was imported or last compared. */
  flags: string;
};

type UidValidities = { source: string; target: string };

/**
 * Reads what was imported from a folder. Forgets it if one of the folders was deleted and created again, which changes
 * its UIDVALIDITY.
 */
export async function readImported(
  db: Db,
  { id }: MailImportFolder,
  { source, target }: UidValidities,
): Promise<ImportedMessage[]> {
  return db.transaction(async (tx) => {
    const [before] = await tx
      .select()
      .from(mailImportFolders)
      .where(eq(mailImportFolders.id, id))
      .for("update");
    if (before?.sourceUidValidity !== source || before.targetUidValidity !== target) {
      await tx.delete(mailImportBatches).where(eq(mailImportBatches.folderId, id));
      await tx
        .update(mailImportFolders)
        .set({ sourceUidValidity: source, targetUidValidity: target })
        .where(eq(mailImportFolders.id, id));
    }
    const batches = await tx
      .select()
      .from(mailImportBatches)
      .where(eq(mailImportBatches.folderId, id))
      .orderBy(mailImportBatches.firstUid);
    return batches.flatMap(({ sourceUids, targetUids, flags }) => {
      const targets = readSequenceSet(targetUids);
      return readSequenceSet(sourceUids).map((sourceUid, at) => ({
        sourceUid,
        targetUid: targets[at]!,
        flags: flags[at]!,
      }));
    });
  });
}

/** UIDs in a folder of the mailbox that any import has recorded. */
export async function importedTargetUids(
  db: Db,
  { mailbox }: ImportLease,
  { target, uidValidity }: { target: string; uidValidity: string },
): Promise<Set<number>> {
  const rows = await db
    .select({ uids: mailImportBatches.targetUids })
    .from(mailImportBatches)
    .innerJoin(mailImportFolders, eq(mailImportFolders.id, mailImportBatches.folderId))
    .innerJoin(mailImports, eq(mailImports.id, mailImportFolders.importId))
    .where(
      and(
        eq(mailImports.mailbox, mailbox),
        eq(mailImportFolders.target, target),
        eq(mailImportFolders.targetUidValidity, uidValidity),
      ),
    );
  return new Set(rows.flatMap(({ uids }) => readSequenceSet(uids)));
}

/** How many messages a folder has, and how many of them wait to be imported. */
export async function recordListed(
  db: Db,
  lease: ImportLease,
  folder: MailImportFolder,
  { total, waiting }: { total: number; waiting: number },
): Promise<void> {
  const before = total - waiting;
  await advance(db, lease, folder, {
    done: before,
    before,
    // What came or went since the folders were counted.
    more: total - folder.messagesTotal,
  });
}

/**
 * Records messages that are in the mailbox now, in the order of their UIDs at the source.
 *
 * @param isNew false if they were found there
 * @throws ImportStopped, and records nothing
 */
export async function recordImported(
  db: Db,
  lease: ImportLease,
  folder: MailImportFolder,
  { messages, bytes, isNew }: { messages: ImportedMessage[]; bytes: number; isNew: boolean },
): Promise<void> {
  if (messages.length === 0) return;
  const sourceUids = messages.map(({ sourceUid }) => sourceUid);
  await db.transaction(async (tx) => {
    await tx.insert(mailImportBatches).values({
      folderId: folder.id,
      firstUid: sourceUids[0]!,
      sourceUids: toSequenceSet(sourceUids),
      targetUids: toSequenceSet(messages.map(({ targetUid }) => targetUid)),
      flags: messages.map(({ flags }) => flags),
    });
    // As one parameter: a statement can't have more than 65,534.
    const saved = sql`${mailImportErrors.uid} = any(${sql.param(sourceUids)}::bigint[])`;
    await tx.delete(mailImportErrors).where(and(eq(mailImportErrors.folderId, folder.id), saved));
    const { length: done } = messages;
    await advance(tx, lease, folder, {
      done,
      imported: isNew ? done : 0,
      bytes,
      endsFailures: true,
    });
  });
}

/** Records why a message couldn't be imported. */
export async function recordMessageError(
  db: Db,
  lease: ImportLease,
  folder: MailImportFolder,
  { uid, reason }: { uid: number; reason: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .insert(mailImportErrors)
      .values({ folderId: folder.id, uid, reason })
      .onConflictDoUpdate({
        target: [mailImportErrors.folderId, mailImportErrors.uid],
        set: { reason, createdAt: sql`clock_timestamp()` },
      });
    await advance(tx, lease, folder, { done: 1 });
  });
}

type Advance = {
  done: number;
  before?: number;
  more?: number;
  imported?: number;
  bytes?: number;
  /** Resets the count of failed attempts. Not for what a later attempt may repeat, such as errors of messages. */
  endsFailures?: boolean;
};

async function advance(
  db: Db,
  lease: ImportLease,
  folder: MailImportFolder,
  { done, before = 0, more = 0, imported = 0, bytes = 0, endsFailures = false }: Advance,
): Promise<void> {
  await db
    .update(mailImportFolders)
    .set({
      messagesDone: sql`${mailImportFolders.messagesDone} + ${done}`,
      messagesTotal: sql`${mailImportFolders.messagesTotal} + ${more}`,
    })
    .where(eq(mailImportFolders.id, folder.id));
  const updated = await db
    .update(mailImports)
    .set({
      ...renewed,
      ...(endsFailures && {
        failures: 0,
        problem: null,
        progressedAt: sql`clock_timestamp()`,
      }),
      messagesTotal: sql`${mailImports.messagesTotal} + ${more}`,
      messagesDone: sql`${mailImports.messagesDone} + ${done}`,
      messagesBefore: sql`${mailImports.messagesBefore} + ${before}`,
      messagesImported: sql`${mailImports.messagesImported} + ${imported}`,
      bytesImported: sql`${mailImports.bytesImported} + ${bytes}`,
    })
    .where(isLeased(lease))
    .returning({ id: mailImports.id });
  requireLeased(updated);
}

/**
 * Ends a folder. Deletes the errors of messages that are no longer at the source.
 *
 * @param uids what the source has
 */
export async function finishFolder(
  db: Db,
  { id }: MailImportFolder,
  uids: number[],
): Promise<void> {
  const gone = sql`${mailImportErrors.uid} <> all(${sql.param(uids)}::bigint[])`;
  await db.delete(mailImportErrors).where(and(eq(mailImportErrors.folderId, id), gone));
  await db
    .update(mailImportFolders)
    .set({ finishedAt: sql`clock_timestamp()` })
    .where(eq(mailImportFolders.id, id));
}

/** Records the flags that messages have at the source now. */
export async function recordFlags(
  db: Db,
  folder: MailImportFolder,
  flagsByUid: ReadonlyMap<number, string>,
): Promise<void> {
  if (flagsByUid.size === 0) return;
  await db.transaction(async (tx) => {
    const batches = await tx
      .select()
      .from(mailImportBatches)
      .where(eq(mailImportBatches.folderId, folder.id));
    for (const { folderId, firstUid, sourceUids, flags } of batches) {
      const uids = readSequenceSet(sourceUids);
      if (!uids.some((uid) => flagsByUid.has(uid))) continue;
      await tx
        .update(mailImportBatches)
        .set({ flags: uids.map((uid, at) => flagsByUid.get(uid) ?? flags[at]!) })
        .where(
          and(eq(mailImportBatches.folderId, folderId), eq(mailImportBatches.firstUid, firstUid)),
        );
    }
  });
}
