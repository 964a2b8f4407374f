import type { Logger } from "pino";

import type { MailImportFolder } from "#drizzle/schema/index.ts";
import {
  failImport,
  finishImport,
  IMPORT_LEASE_SECONDS,
  type ImportLease,
  ImportStopped,
  leaseImport,
  releaseImport,
  renewLease,
  retryImport,
} from "#server/core/mailboxes/imports/import-leases.ts";
import {
  finishFolder,
  importedTargetUids,
  readImported,
  recordFlags,
  recordFolders,
  recordListed,
  recordMessageError,
} from "#server/core/mailboxes/imports/import-progress.ts";
import {
  type CountedFolder,
  listSourceFolders,
} from "#server/core/mailboxes/imports/import-source.ts";
import type { Db } from "#server/db/client.ts";
import { ImapSourceError } from "#server/gateways/imap-source.ts";
import { pause } from "#server/processes/pause.ts";

import { openAccounts, type RunningImport, TargetError } from "./accounts.ts";
import { afterError, IMPORT_FAILURES_MAX } from "./after-error.ts";
import { importMessages } from "./import-messages.ts";
import {
  ExistingMessages,
  type ListedMessage,
  listMessages,
  withoutSeen,
} from "./list-messages.ts";
import { applyFlagChanges, findFlagChanges } from "./sync-flags.ts";

const RENEW_EVERY_MS = 5_000;

/** Stop writing well before another process may continue. */
const LEASE_LOST_AFTER_MS = (IMPORT_LEASE_SECONDS * 1_000) / 2;

/**
 * Runs one pass of a leased import, and records how it ended. Never rejects.
 *
 * @param signal stops it, so that another process continues
 */
async function runImport(
  db: Db,
  lease: ImportLease,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const { id, mailbox, host, failures } = lease;
  if (failures > IMPORT_FAILURES_MAX) {
    // Its attempts may be what ends the process.
    const problem = `The import was interrupted ${failures} times in a row without progress`;
    return recordingEnd(id, log, () => failImport(db, lease, { problem, erasesSecret: false }));
  }
  const renewal = keepLease(db, lease);
  try {
    await runPass(db, lease, AbortSignal.any([signal, renewal.signal]));
    await finishImport(db, lease);
    log.info({ id, mailbox, host }, "imported mail");
  } catch (error) {
    await recordingEnd(id, log, () =>
      recordEnd(db, lease, { error, isStopping: signal.aborted, log }),
    );
  } finally {
    renewal.stop();
  }
}

async function recordingEnd(id: string, log: Logger, record: () => Promise<void>): Promise<void> {
  try {
    await record();
  } catch (err) {
    log.warn({ err, id }, "could not record the end of an import");
  }
}

async function runPass(db: Db, lease: ImportLease, signal: AbortSignal): Promise<void> {
  const accounts = await openAccounts(db, lease);
  // Ends a command in progress.
  signal.addEventListener("abort", () => accounts.close(), { once: true });
  try {
    signal.throwIfAborted();
    const found = await accounts.atSource(listSourceFolders);
    // The folder that shows all messages comes last, when those of the others are known.
    const ordered = found.toSorted((a, b) => Number(a.isRest) - Number(b.isRest));
    const rows = await recordFolders(db, lease, ordered);
    const run = { db, lease, accounts, signal, seenElsewhere: new Set<string>() };
    for (const [at, row] of rows.entries()) await attemptFolder(run, row, ordered[at]!);
  } finally {
    accounts.close();
  }
}

/** A folder that the server rejects, perhaps for lack of permission, doesn't prevent the others. */
async function attemptFolder(
  run: RunningImport,
  ...[row, folder]: [Parameters<typeof importFolder>[1], Parameters<typeof importFolder>[2]]
): Promise<void> {
  run.signal.throwIfAborted();
  try {
    await importFolder(run, row, folder);
  } catch (error) {
    if (!(error instanceof ImapSourceError) || error.kind !== "denied") throw error;
    const reason = `The folder can't be read: ${error.message}`;
    await recordMessageError(run.db, run.lease, row, { uid: 0, reason });
  }
}

async function recordEnd(
  db: Db,
  lease: ImportLease,
  { error, isStopping, log }: { error: unknown; isStopping: boolean; log: Logger },
): Promise<void> {
  const { id, mailbox, host } = lease;
  if (isStopping) return releaseImport(db, lease);
  if (error instanceof ImportStopped) return;
  const next = afterError(error, lease.failures);
  const isExpected = error instanceof ImapSourceError || error instanceof TargetError;
  if (!isExpected) log.error({ err: error, id }, "an import failed");
  else log.warn({ id, mailbox, host, problem: next.problem }, "an import was interrupted");
  if ("delayMs" in next) await retryImport(db, lease, next);
  else await failImport(db, lease, next);
}

/** Renews a lease. The signal aborts when that fails, or the import is canceled. */
function keepLease(db: Db, lease: ImportLease): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  let renewedAt = performance.now();
  const renew = async () => {
    try {
      await renewLease(db, lease);
      renewedAt = performance.now();
    } catch (error) {
      const isExpired = performance.now() - renewedAt > LEASE_LOST_AFTER_MS;
      if (error instanceof ImportStopped) lost.abort(error);
      else if (isExpired) lost.abort(new ImportStopped("the lease can't be renewed"));
    }
  };
  const timer = setInterval(() => void renew(), RENEW_EVERY_MS);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}

/** Each has a connection to Dovecot and one to another server, and 8 MB of messages; a large message takes more. */
const AT_ONCE = 4;

const LOOK_EVERY_MS = 1_000;

/** Runs imports, several at once, until none is left. */
export async function importDue(
  db: Db,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  let running = 0;
  const runAll = async () => {
    while (!signal.aborted) {
      const lease = await leaseImport(db);
      if (lease) {
        running += 1;
        await runImport(db, lease, { log, signal });
        running -= 1;
      } else if (running > 0) await pause(LOOK_EVERY_MS, signal);
      else return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runAll));
}

/**
 * Imports what is new in a folder, and changes of flags since the last pass. Repeating it after an interruption at any
 * point imports every message once.
 *
 * @throws ImapSourceError, TargetError, ImportStopped
 */
async function importFolder(
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
