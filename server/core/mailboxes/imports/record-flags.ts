import { and, eq } from "drizzle-orm";

import { mailImportBatches, type MailImportFolder } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { readSequenceSet } from "#server/gateways/dovecot-imap.ts";

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
