import type { MailImportFolder } from "#drizzle/schema/index.ts";
import {
  type ImportedMessage,
  recordImported,
  recordMessageError,
} from "#server/core/mailboxes/imports/import-progress.ts";
import {
  IMPORTED_BYTES_MAX,
  LITERAL_BYTES_MAX,
} from "#server/core/mailboxes/imports/import-source.ts";
import { appendMessages } from "#server/gateways/dovecot-imap.ts";
import { ImapSourceError } from "#server/gateways/imap-source.ts";

import { TargetError } from "./accounts.ts";
import type { RunningImport } from "./accounts.ts";
import {
  type ExistingMessages,
  fetchContents,
  type ListedMessage,
  listMessageIds,
  splitFlags,
} from "./list-messages.ts";

type Fetched = ListedMessage & { content: Buffer };

/**
 * Copies messages in the order of their UIDs. While one batch is saved, the next is fetched. A batch that is saved but not
 * recorded, because the process was killed, is found in `existing` next time.
 */
export async function importMessages(
  run: RunningImport,
  folder: MailImportFolder,
  { waiting, existing }: { waiting: ListedMessage[]; existing: ExistingMessages },
): Promise<void> {
  const missing = await takeExisting(run, folder, { waiting, existing });
  const tooLarge = missing.filter(({ size }) => size > IMPORTED_BYTES_MAX);
  for (const { uid, size } of tooLarge) {
    const reason = `The message is ${Math.ceil(size / MB)} MB; the limit is ${IMPORTED_BYTES_MAX / MB} MB`;
    await recordMessageError(run.db, run.lease, folder, { uid, reason });
  }
  const batches = planBatches(missing.filter(({ size }) => size <= IMPORTED_BYTES_MAX));
  let fetching = fetchBatch(run, batches[0]);
  for (const [at, batch] of batches.entries()) {
    run.signal.throwIfAborted();
    const fetched = await fetching;
    fetching = fetchBatch(run, batches[at + 1]);
    // Awaited in the next round; an error of this one must not leave it unhandled.
    fetching.catch(() => {});
    await saveBatch(run, folder, { batch, fetched });
  }
}

const MB = 1024 * 1024;

/** As the server announces their sizes. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

const FETCHED_BYTES_MAX = BATCH_BYTES_MAX + LITERAL_BYTES_MAX;

async function takeExisting(
  { db, lease, accounts }: RunningImport,
  folder: MailImportFolder,
  { waiting, existing }: { waiting: ListedMessage[]; existing: ExistingMessages },
): Promise<ListedMessage[]> {
  if (existing.isEmpty) return waiting;
  const uids = waiting.map(({ uid }) => uid);
  const ids = await accounts.atSource((client) => listMessageIds(client, uids));
  const missing: ListedMessage[] = [];
  const found: ImportedMessage[] = [];
  for (const message of waiting) {
    const { uid: sourceUid, flags } = message;
    const targetUid = existing.take(message, ids.get(sourceUid));
    if (targetUid === null) missing.push(message);
    else found.push({ sourceUid, targetUid, flags });
  }
  await recordImported(db, lease, folder, { messages: found, bytes: 0, isNew: false });
  return missing;
}

/** Fetches messages together, or one by one if the server rejects that. Those that it doesn't return are missing. */
async function fetchBatch(run: RunningImport, batch: ListedMessage[] = []): Promise<Fetched[]> {
  if (batch.length === 0) return [];
  const uids = batch.map(({ uid }) => uid);
  try {
    const contents = await run.accounts.atSource((client) =>
      fetchContents(client, uids, FETCHED_BYTES_MAX),
    );
    return batch.flatMap((message) => {
      const content = contents.get(message.uid);
      return content ? [{ ...message, content }] : [];
    });
  } catch (error) {
    if (!(error instanceof ImapSourceError) || error.kind !== "denied") throw error;
    if (batch.length === 1) return [];
    const fetched: Fetched[] = [];
    for (const message of batch) fetched.push(...(await fetchBatch(run, [message])));
    return fetched;
  }
}

async function saveBatch(
  run: RunningImport,
  folder: MailImportFolder,
  { batch, fetched }: { batch: ListedMessage[]; fetched: Fetched[] },
): Promise<void> {
  const { db, lease } = run;
  const got = new Set(fetched.map(({ uid }) => uid));
  for (const { uid } of batch.filter(({ uid }) => !got.has(uid))) {
    const reason = "The server didn't return the message";
    await recordMessageError(db, lease, folder, { uid, reason });
  }
  await save(run, folder, fetched);
}

/** Saves messages together, or one by one if that fails, to find out which is at fault. */
async function save(
  run: RunningImport,
  folder: MailImportFolder,
  fetched: Fetched[],
): Promise<void> {
  if (fetched.length === 0) return;
  const { db, lease, accounts, signal } = run;
  signal.throwIfAborted();
  let uids: number[];
  try {
    uids = await accounts.atTarget((client) =>
      appendMessages(
        client,
        folder.target,
        fetched.map(({ flags, ...message }) => ({ ...message, flags: splitFlags(flags) })),
      ),
    );
  } catch (error) {
    if (!(error instanceof TargetError) || !error.isRejection) throw error;
    if (fetched.length > 1) {
      for (const message of fetched) await save(run, folder, [message]);
      return;
    }
    const reason = `The mailbox rejected the message: ${error.message}`;
    await recordMessageError(db, lease, folder, { uid: fetched[0]!.uid, reason });
    return;
  }
  const messages = fetched.map(({ uid: sourceUid, flags }, at) => ({
    sourceUid,
    targetUid: uids[at]!,
    flags,
  }));
  const bytes = fetched.reduce((sum, { content }) => sum + content.length, 0);
  await recordImported(db, lease, folder, { messages, bytes, isNew: true });
}

const MESSAGES_MAX = 100;

/** Groups messages, in order, to be fetched and saved together. A larger message is alone. */
export function planBatches<Message extends { size: number }>(messages: Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const batch = batches.at(-1);
    bytes += message.size;
    if (batch && batch.length < MESSAGES_MAX && bytes <= BATCH_BYTES_MAX) batch.push(message);
    else {
      batches.push([message]);
      bytes = message.size;
    }
  }
  return batches;
}
