import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { ImapFlow, ListResponse } from "imapflow";

import { CommandError } from "#server/cli/failures.ts";
import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { openTarget } from "#server/core/mailboxes/imports/import-source.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { toSequenceSet } from "#server/gateways/dovecot-imap.ts";

import {
  type FolderWriter,
  type MailFormat,
  Names,
  openMaildir,
  openMbox,
} from "./mail-formats.ts";
import { writeNewFile } from "./staging.ts";

/** A folder, with its own name and its path in the export. */
type ExportedFolder = {
  name: string;
  path: string;
  special_use: string | null;
  subscribed: boolean;
  messages: number;
};

export type ExportedMailbox = { address: string; messages: number; bytes: number };

const OPEN = { maildir: openMaildir, mbox: openMbox };

/**
 * Writes all mail of a mailbox to `mail/<address>`, and a list of its folders beside it. Reads over IMAP, from the host that stores the
 * mailbox, and changes nothing there: unread messages stay unread.
 *
 * @returns null if the mailbox was deleted meanwhile
 * @throws CommandError
 */
export async function exportMailbox(
  db: Db,
  address: string,
  { folder, format }: { folder: string; format: MailFormat },
): Promise<ExportedMailbox | null> {
  const client = await open(db, address);
  if (client === null) return null;
  try {
    const root = join(folder, "mail", address);
    await mkdir(root, { recursive: true });
    const names = new Names();
    const folders: ExportedFolder[] = [];
    let bytes = 0;
    for (const { path, delimiter, specialUse, subscribed } of await listOwnFolders(client)) {
      const writer = await OPEN[format](root, path.split(delimiter), names);
      const copied = await copyFolder(client, path, writer);
      bytes += copied.bytes;
      folders.push({
        name: path,
        path: writer.path,
        special_use: specialUse ?? null,
        subscribed,
        messages: copied.messages,
      });
    }
    await writeOwnScripts(db, address, folder);
    await writeNewFile(`${root}.folders.json`, `${JSON.stringify(folders, null, 2)}\n`);
    const messages = folders.reduce((sum, each) => sum + each.messages, 0);
    return { address, messages, bytes };
  } catch (error) {
    throw explain(address, error);
  } finally {
    client.close();
  }
}

/** imapflow has this after sign-in; its types don't. */
type Namespaces = Partial<Record<"other" | "shared", { prefix: string }[] | false>>;

/** Without those of other mailboxes, which are exported themselves. */
async function listOwnFolders(client: ImapFlow): Promise<ListResponse[]> {
  const { namespaces: { other, shared } = {} } = client as { namespaces?: Namespaces };
  const prefixes = [...(other || []), ...(shared || [])].map(({ prefix }) => prefix);
  const isOwn = (path: string) => !prefixes.some((prefix) => prefix && path.startsWith(prefix));
  return (await client.list()).filter(
    ({ path, flags }) => isOwn(path) && !flags.has("\\Noselect") && !flags.has("\\NonExistent"),
  );
}

/** Scripts that mail apps uploaded (RFC 5804), in addition to the rules at `/account`. */
async function writeOwnScripts(db: Db, address: string, folder: string): Promise<void> {
  const dovecot = await dovecotOf(db, address);
  const names = new Names();
  for (const { name, isActive } of await dovecot.sieveScripts(address)) {
    const root = join(folder, "sieve", address);
    await mkdir(root, { recursive: true });
    const file = names.take(name.replaceAll(/[/\\\0]/g, "_").replace(/^\./, "_"));
    const script = await dovecot.sieveScript(address, name);
    await writeNewFile(join(root, `${file}${isActive ? "" : ".inactive"}.sieve`), script);
  }
}

async function open(db: Db, address: string): Promise<ImapFlow | null> {
  try {
    return await openTarget(db, address);
  } catch (error) {
    if (error instanceof Refusal && error.reason === "not_found") return null;
    throw explain(address, error);
  }
}

function explain(address: string, error: unknown): Error {
  if (error instanceof CommandError) return error;
  const { responseText, message } = error as Error & { responseText?: string };
  return new CommandError(
    `The mail of ${address} can't be read: ${responseText ?? message}. The appliance must be running`,
    { cause: error },
  );
}

/** Read at a time, unless one message is larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_MESSAGES = 200;

async function copyFolder(client: ImapFlow, path: string, writer: FolderWriter) {
  const copied = { messages: 0, bytes: 0 };
  const { exists } = await client.mailboxOpen(path, { readOnly: true });
  const listed: { uid: number; size: number }[] = [];
  if (exists > 0)
    for await (const { uid, size = 0 } of client.fetch("1:*", { uid: true, size: true }))
      listed.push({ uid, size });
  for (const uids of inBatches(listed)) {
    const query = { uid: true, flags: true, internalDate: true, source: true };
    for await (const message of client.fetch(toSequenceSet(uids), query, { uid: true })) {
      const { uid, flags = new Set(), internalDate, source } = message;
      // Deleted since it was listed.
      if (!source) continue;
      await writer.write({ uid, flags, internalDate: new Date(internalDate!), content: source });
      copied.messages += 1;
      copied.bytes += source.length;
    }
  }
  await writer.finish();
  return copied;
}

function inBatches(listed: { uid: number; size: number }[]): number[][] {
  const batches: number[][] = [];
  let bytes = Infinity;
  for (const { uid, size } of listed) {
    const last = batches.at(-1);
    if (last && bytes + size <= BATCH_BYTES && last.length < BATCH_MESSAGES) last.push(uid);
    else {
      batches.push([uid]);
      bytes = 0;
    }
    bytes += size;
  }
  return batches;
}
