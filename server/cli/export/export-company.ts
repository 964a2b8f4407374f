import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { ImapFlow, ListResponse } from "imapflow";

import { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import { getCompany } from "#server/core/access/companies/companies.ts";
import { openTarget } from "#server/core/mailboxes/imports/import-source.ts";
import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { findStore } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import {
  EXPORTED,
  EXPORTED_MESSAGES,
  fileOf,
  LEFT_OUT,
} from "#server/core/operations/export/exported-tables.ts";
import { mailBytes, takeSnapshot } from "#server/core/operations/export/take-snapshot.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { exportCollections } from "#server/gateways/calendar-store.ts";
import { toSequenceSet } from "#server/gateways/dovecot-imap.ts";
import { freeBytesAt } from "#server/processes/machine.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import {
  type FolderWriter,
  type MailFormat,
  Names,
  openMaildir,
  openMbox,
} from "./mail-formats.ts";
import { exportRecords, openStaging, readTarget, type Target, writeNewFile } from "./staging.ts";

export type ExportOptions = {
  company: string;
  out: string;
  mail: MailFormat | "none";
  includeDkimKeys?: boolean;
};

/** What `manifest.json` says. */
export type ExportManifest = {
  format: "posthouse-export";
  version: 1;
  posthouse: string;
  company: { id: string; name: string };
  /** The records are as of this moment. Mail is copied afterward. */
  snapshot_at: string;
  finished_at: string;
  includes_dkim_private_keys: boolean;
  mail_format: MailFormat | "none";
  /** Rows of each NDJSON file, and files in each other folder. */
  counts: Record<string, number>;
  mailboxes: ExportedMailbox[];
  /** Tables that aren't exported, with the reason. */
  left_out: Record<string, string>;
};

/** Exports a company's data and mail to a new folder or archive. Shows progress on stderr. */
export async function exportCompany(
  options: ExportOptions,
): Promise<ExportManifest & { out: string }> {
  const target = readTarget(resolve(options.out));
  return withDatabase(async (db) => {
    const { id, name } = await getCompany(db, options.company);
    const ctx = createContext(db, id, { kind: "system", task: "posthouse export" });
    if (options.mail !== "none") await requireSpace(ctx, target);
    await using staging = await openStaging(target);
    const manifest = await writeExport(ctx, { ...options, name, folder: staging.folder });
    await staging.finish();
    return { ...manifest, out: target.path };
  });
}

type Work = ExportOptions & { name: string; folder: string };

async function writeExport(ctx: Context, work: Work): Promise<ExportManifest> {
  const { name, folder, mail } = work;
  const includesKeys = work.includeDkimKeys ?? false;
  const display = new Display(process.stderr);
  const details = { mail, dkimPrivateKeys: includesKeys };
  let counts: Record<string, number> = {};
  let addresses: string[] = [];
  let takenAt = "";
  await display.step("Records", () =>
    takeSnapshot(ctx, details, async (snapshot) => {
      counts = await exportRecords(snapshot, folder, { includesKeys });
      addresses = await snapshot.mailboxes();
      takenAt = snapshot.takenAt;
      const rows = Object.values(counts).reduce((sum, each) => sum + each, 0);
      return pluralize(rows, "record");
    }),
  );
  const mailboxes: ExportedMailbox[] = [];
  if (mail !== "none")
    for (const address of addresses)
      await display.step(address, async () => {
        const exported = await exportMailbox(ctx.db, address, { folder, format: mail });
        if (exported === null) return "deleted meanwhile";
        mailboxes.push(exported);
        return pluralize(exported.messages, "message");
      });
  const manifest: ExportManifest = {
    format: "posthouse-export",
    version: 1,
    posthouse: softwareVersion(),
    company: { id: ctx.companyId, name },
    snapshot_at: takenAt,
    finished_at: ctx.now().toISOString(),
    includes_dkim_private_keys: includesKeys,
    mail_format: mail,
    counts,
    mailboxes,
    left_out: LEFT_OUT,
  };
  await writeNewFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeNewFile(join(folder, "README.txt"), readmeText(manifest));
  return manifest;
}

/** @throws CommandError if the mail alone won't fit, before hours of copying */
async function requireSpace(ctx: Context, { path }: Target): Promise<void> {
  const needed = await mailBytes(ctx);
  const folder = dirname(path);
  const free = await freeBytesAt(folder).catch((error: unknown) => {
    throw new CommandError(`${folder} can't be written to: ${(error as Error).message}`);
  });
  const toMb = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2).toLocaleString("en")} MB`;
  if (needed > free)
    throw new CommandError(
      `The mail takes ${toMb(needed)}, but ${folder} has only ${toMb(free)} of free space`,
    );
}

const MAIL = {
  maildir: `mail/ADDRESS/               a Maildir++ of each mailbox, with flags, keywords (in dovecot-keywords) and arrival times`,
  mbox: `mail/ADDRESS/               an mbox file (mboxrd) of each folder, with flags in Status, X-Status and X-Keywords`,
  none: null,
};

/** Says what each file of an export is. */
function readmeText(manifest: ExportManifest): string {
  const { company, snapshot_at: at, posthouse, counts, mail_format: format } = manifest;
  const messages = Object.entries(EXPORTED_MESSAGES)
    .filter(([kind]) => counts[`${kind}/`])
    .map(([kind, { about }]) => line(`${kind}/ID.eml`, about));
  const files = [
    line("manifest.json", "what this export contains, with counts"),
    ...Object.entries(EXPORTED).map(([table, { about }]) => line(`data/${fileOf(table)}`, about)),
    ...messages,
    line("dns/DOMAIN.zone", "the DNS records to publish for each domain, as a zone file"),
    manifest.includes_dkim_private_keys &&
      line("dkim-private-keys/", "SECRET: the private DKIM keys, as PEM. Delete them after use"),
    line("sieve/ADDRESS.sieve", "each mailbox's forwarding, automatic reply and filters, as Sieve"),
    format !== "none" &&
      line("sieve/ADDRESS/", "scripts that mail apps uploaded; only the active one runs"),
    MAIL[format],
    format !== "none" && line("mail/ADDRESS.folders.json", "folders: their names, paths and uses"),
    format !== "none" &&
      line("calendars/ADDRESS/", "each calendar (.ics) and address book (.vcf), if they are on"),
  ].filter(Boolean);
  const leftOut = Object.entries(manifest.left_out).map(([table, why]) => `- ${table}: ${why}`);
  return `The data of ${company.name} in Posthouse ${posthouse}, as of ${at}.

The .ndjson files have one JSON object per line. IDs and addresses connect them: email_id is the id of an email.
Times are in ISO 8601. Mail was copied after the records, so it can be a little newer.

${files.join("\n")}

${
  manifest.includes_dkim_private_keys
    ? "Private DKIM keys are included."
    : "Private DKIM keys aren't included: export again with --include-dkim-keys, or publish new keys."
} Passwords, API keys and signing secrets are never exported.

SECRET: content of emails can contain links that still work, such as those to set a password or accept an invitation, which
Posthouse itself sends and which work for 7 days.

Not exported:
${leftOut.join("\n")}
`;
}

const line = (name: string, about: string): string => `${name.padEnd(27)} ${about}`;

/** A folder, with its own name and its path in the export. */
type ExportedFolder = {
  name: string;
  path: string;
  special_use: string | null;
  subscribed: boolean;
  messages: number;
};

type Collections = {
  /** Calendars and address books. */
  collections: number;
  /** The files that are missing, since Radicale can't read their collections. */
  unreadableCollections: string[];
};

type ExportedMailbox = Collections & {
  address: string;
  messages: number;
  bytes: number;
};

const OPEN = { maildir: openMaildir, mbox: openMbox };

/**
 * Writes all mail of a mailbox to `mail/<address>`, and a list of its folders beside it. Reads over IMAP, from the host that stores the
 * mailbox, and changes nothing there: unread messages stay unread.
 *
 * @returns null if the mailbox was deleted meanwhile
 * @throws CommandError
 */
async function exportMailbox(
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
    const calendars = await writeCollections(db, address, folder);
    await writeNewFile(`${root}.folders.json`, `${JSON.stringify(folders, null, 2)}\n`);
    const messages = folders.reduce((sum, each) => sum + each.messages, 0);
    return { address, messages, bytes, ...calendars };
  } catch (error) {
    throw explain(address, error);
  } finally {
    client.close();
  }
}

/** imapflow has this after sign-in; its types don't. */
type Namespaces = Partial<Record<"other" | "shared", { prefix: string }[] | false>>;

/** Lists the folders without those of other mailboxes, which are exported separately. */
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

async function writeCollections(db: Db, address: string, folder: string): Promise<Collections> {
  const result: Collections = { collections: 0, unreadableCollections: [] };
  const store = await findStore(db, address);
  if (store === null) return result;
  const root = join(folder, "calendars", address);
  try {
    for await (const { file, content } of exportCollections(store)) {
      if (content === null) {
        result.unreadableCollections.push(file);
        continue;
      }
      await mkdir(root, { recursive: true });
      await writeNewFile(join(root, file), content);
      result.collections += 1;
    }
    return result;
  } catch (error) {
    throw new CommandError(
      `The calendars of ${address} can't be read: ${(error as Error).message}. Radicale must be running`,
      { cause: error },
    );
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

/** Messages are read in batches of this size, or one by one if larger. */
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
