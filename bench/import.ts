import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { eq, sql } from "drizzle-orm";
import type { ImapFlow } from "imapflow";

import { mailImports } from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { getImport, startImports } from "#server/core/mailboxes/imports/imports.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { anImapServer, fill, SOURCE_PASSWORD } from "#server/testing/an-imap-server.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aMessage, messagesIn } from "#server/testing/imported-mail.ts";
import { signIn } from "#server/testing/mail-app.ts";

// Imports a mailbox from a second Dovecot, with kill -9 on the way, compares the result, and measures the pace of an
// uninterrupted import beside a plain loop like imapsync's: fetch one message, append it, go on. Aim: 1.5 times as fast.
const { values: options } = parseArgs({
  options: {
    messages: { type: "string", default: "20000" },
    folders: { type: "string", default: "40" },
    kills: { type: "string", default: "3" },
    // Messages of the plain loop, and of the import beside it.
    paced: { type: "string", default: "5000" },
  },
});
const [MESSAGES, FOLDERS, KILLS] = [options.messages, options.folders, options.kills].map(Number);
const PACED = Number(options.paced);
const PER_FOLDER = MESSAGES! / FOLDERS!;
const ACCOUNT = "ann@source.example";
const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
const FLAGS = [[], ["\\Seen"], ["\\Seen", "\\Answered"], ["\\Flagged", "Work"]];

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const dataFolder = join(folder, "data");
await mkdir(dataFolder);
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
process.env.DATABASE_URL = postgres.url;
process.env.POSTHOUSE_DATA = dataFolder;
await migrate(postgres.url);
const dovecot = await aDovecot({ givenFolder: dataFolder });
const source = await anImapServer();

try {
  const old = await source.signIn(ACCOUNT);
  const names = Array.from({ length: FOLDERS! }, (_, at) => `Folder ${at}`);
  for (const [at, name] of names.entries())
    await fill(old, [name], messagesFrom(at * PER_FOLDER, PER_FOLDER));
  console.log(`${MESSAGES} messages in ${FOLDERS} folders at the source`);
  await measureKilled(old, names);
  await measurePace();
} finally {
  await source.stop();
  await dovecot.stop();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Messages of 1 to 8 KB, like most, and some of 100 KB. */
function messagesFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const number = first + at;
    const bytes = number % 50 === 0 ? 100_000 : 1_000 + ((number * 7919) % 7_000);
    return aMessage(number, { flags: FLAGS[number % FLAGS.length]!, bytes });
  });
}

async function anImportOf(account: string) {
  const { id: companyId } = await aCompany();
  const { address } = await aMailbox(await aDomain(companyId), { quotaMb: 10_000 });
  const ctx = aContext(companyId);
  const [id] = await startImports(ctx, OWNER, {
    host: "127.0.0.1",
    port: source.port,
    security: "none",
    secretKind: "password",
    keepsSecret: false,
    accounts: [{ account, secret: SOURCE_PASSWORD, mailbox: address }],
  });
  return { id: id!, address, shown: () => getImport(ctx, OWNER, id!) };
}

async function measureKilled(old: ImapFlow, names: string[]): Promise<void> {
  const { id, address, shown } = await anImportOf(ACCOUNT);
  const startedAt = performance.now();
  for (let kill = 1; kill <= KILLS!; kill++) {
    const importer = startImporter();
    const until = (MESSAGES! * kill) / (KILLS! + 1);
    while ((await shown()).messagesDone < until) await delay(20);
    const exited = once(importer, "exit");
    importer.kill("SIGKILL");
    await exited;
    console.log(`killed at ${(await shown()).messagesDone} messages`);
    // Instead of waiting until the lease expires.
    await db()
      .update(mailImports)
      .set({ nextAttemptAt: sql`clock_timestamp()` })
      .where(eq(mailImports.id, id));
  }
  await once(startImporter(), "exit");
  const seconds = (performance.now() - startedAt) / 1_000;
  const { state, problem, messagesImported, errors } = await shown();
  console.log(`${state} ${problem ?? ""} after ${seconds.toFixed(1)} s, ${errors} errors`);
  const app = await signIn(dovecot.imap, address);
  let compared = 0;
  for (const name of names) {
    const [there, here] = [await messagesIn(old, name), await messagesIn(app, name)];
    if (JSON.stringify(there) !== JSON.stringify(here))
      throw new Error(`${name} differs: ${there.length} and ${here.length} messages`);
    compared += here.length;
  }
  await app.logout();
  console.log(
    `identical by Message-ID, flags, dates and order: ${compared} (${messagesImported} recorded as new)`,
  );
}

function startImporter(): ChildProcess {
  return fork(join(import.meta.dirname, "../worker/imports/main.ts"), {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

/** Both in turns, so that a busy machine slows both down. */
async function measurePace(): Promise<void> {
  const account = "paced@source.example";
  const old = await source.signIn(account);
  await fill(old, ["INBOX"], messagesFrom(0, PACED));
  const rates: { ours: number; plain: number }[] = [];
  for (let round = 1; round <= 3; round++) {
    const plain = PACED / (await plainSeconds(old));
    const ours = PACED / (await importSeconds(account));
    rates.push({ ours, plain });
    console.log(
      `round ${round}: import ${ours.toFixed(0)}/s, plain loop ${plain.toFixed(0)}/s, ratio ${(ours / plain).toFixed(2)}`,
    );
  }
  const ratios = rates.map(({ ours, plain }) => ours / plain).toSorted((a, b) => a - b);
  console.log(`median ratio ${ratios[1]!.toFixed(2)} (aim: 1.5)`);
}

async function importSeconds(account: string): Promise<number> {
  const { shown } = await anImportOf(account);
  const startedAt = performance.now();
  await once(startImporter(), "exit");
  const { state, messagesImported } = await shown();
  if (state !== "done" || messagesImported !== PACED) throw new Error("the import failed");
  return (performance.now() - startedAt) / 1_000;
}

async function plainSeconds(old: ImapFlow): Promise<number> {
  const { address } = await aMailbox(await aDomain((await aCompany()).id), { quotaMb: 10_000 });
  const app = await signIn(dovecot.imap, address);
  await old.mailboxOpen("INBOX", { readOnly: true });
  const startedAt = performance.now();
  const uids = (await old.search({ all: true }, { uid: true })) || [];
  for (const uid of uids) {
    const query = { source: true, flags: true, internalDate: true };
    const message = await old.fetchOne(String(uid), query, { uid: true });
    if (!message) throw new Error(`message ${uid} is missing`);
    const flags = [...message.flags!].filter((flag) => flag !== "\\Recent");
    await app.append("INBOX", message.source!, flags, message.internalDate);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await app.logout();
  return seconds;
}
