import type { MailImportFolder } from "#drizzle/schema/index.ts";
import type { CountedFolder } from "#server/core/mailboxes/imports/import-source.ts";
import {
  finishFolder,
  importedTargetUids,
  readImported,
  recordFlags,
  recordListed,
} from "#server/core/mailboxes/imports/import-progress.ts";

import type { RunningImport } from "./accounts.ts";
import {
  ExistingMessages,
  type ListedMessage,
  listMessages,
  withoutSeen,
} from "./list-messages.ts";
import { importMessages } from "./import-messages.ts";
import { applyFlagChanges, findFlagChanges } from "./sync-flags.ts";

/**
 * Imports what is new in a folder, and changes of flags since the last pass. Repeating it after an interruption at any
 * point imports every message once.
 *
 * @throws ImapSourceError, TargetError, ImportStopped
 */
export async function importFolder(
  run: RunningImport,
  folder: MailImportFolder,
  { isRest, isSubscribed }: CountedFolder,
): Promise<void> {
  const { db, lease, accounts, seenElsewhere } = run;
  const uidValidity = {
    source: await accounts.atSource(async (client) => {
      const opened = await client.mailboxOpen(folder.source, { readOnly: true });
      return String(opened.uidValidity);
    }),
    target: await openTargetFolder(run, folder, isSubscribed),
  };
  const all = await accounts.atSource((client) => listMessages(client));
  const listed = isRest ? withoutSeen(all, seenElsewhere) : all;
  for (const { emailId } of all) if (emailId) seenElsewhere.add(emailId);
  const imported = await readImported(db, folder, uidValidity);
  await updateFlags(run, { folder, imported, listed });

  const importedUids = new Set(imported.map(({ sourceUid }) => sourceUid));
  const waiting = listed.filter(({ uid }) => !importedUids.has(uid));
  await recordListed(db, lease, folder, { total: listed.length, waiting: waiting.length });
  const { target } = folder;
  const recorded = await importedTargetUids(db, lease, { target, uidValidity: uidValidity.target });
  const existing = await accounts.atTarget((client) => ExistingMessages.read(client, recorded));
  await importMessages(run, folder, { waiting, existing });
  await finishFolder(
    db,
    folder,
    listed.map(({ uid }) => uid),
  );
}

/** @returns its UIDVALIDITY */
function openTargetFolder(
  { accounts }: RunningImport,
  { target }: MailImportFolder,
  isSubscribed: boolean,
): Promise<string> {
  return accounts.atTarget(async (client) => {
    if (target !== "INBOX") {
      const { created } = await client.mailboxCreate(target.split("/"));
      if (created && isSubscribed) await client.mailboxSubscribe(target);
    }
    const { uidValidity } = await client.mailboxOpen(target);
    return String(uidValidity);
  });
}

async function updateFlags(
  { db, accounts }: RunningImport,
  {
    folder,
    imported,
    listed,
  }: {
    folder: MailImportFolder;
    imported: Awaited<ReturnType<typeof readImported>>;
    listed: ListedMessage[];
  },
): Promise<void> {
  const now = new Map(listed.map(({ uid, flags }) => [uid, flags]));
  const changes = findFlagChanges(imported, now);
  if (changes.length === 0) return;
  await accounts.atTarget((client) => applyFlagChanges(client, changes));
  await recordFlags(db, folder, now);
}
