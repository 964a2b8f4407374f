import { fork } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";

import { desc, eq, sql } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import {
  auditEntries,
  mailboxes,
  mailboxSignIns,
  mailImportBatches,
  mailImportFolders,
  mailImports,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { getImport, repeatImport, startImports } from "#server/core/mailboxes/imports/imports.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { db, pool } from "#server/db/pool.ts";
import type { AppendedMessage } from "#server/gateways/dovecot-imap.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import {
  anImapServer,
  fill,
  type ImapServer,
  SOURCE_PASSWORD,
} from "#server/testing/an-imap-server.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aMessage, messagesIn } from "#server/testing/imported-mail.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { runImports } from "#server/testing/run-imports.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";

import { startImporter } from "./start-importer.ts";

// Imports from a second Dovecot into ours, over real connections.

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

let dovecot: TestDovecot;
let source: ImapServer;
let accounts = 0;

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
  source = await anImapServer();
});

afterAll(async () => {
  await source.stop();
  await dovecot.stop();
});

const many = (from: number, count: number, flags: string[] = []) =>
  Array.from({ length: count }, (_, at) => aMessage(from + at, { flags }));

/** An account at the source with these folders, and an empty mailbox. */
async function anImport(
  folders: [path: string[], messages: AppendedMessage[]][],
  overrides: { quotaMb?: number; secret?: string } = {},
) {
  const { id: companyId } = await aCompany();
  const { secret = SOURCE_PASSWORD, ...fields } = overrides;
  const { address } = await aMailbox(await aDomain(companyId), fields);
  const account = `account${++accounts}@source.example`;
  const old = await source.signIn(account);
  for (const [path, messages] of folders) await fill(old, path, messages);
  const ctx = aContext(companyId);
  const start = async (asked = secret) => {
    const [id] = await startImports(ctx, OWNER, {
      host: "127.0.0.1",
      port: source.port,
      security: "none",
      secretKind: "password",
      keepsSecret: true,
      accounts: [{ account, secret: asked, mailbox: address }],
    });
    return id!;
  };
  const id = await start();
  return { id, ctx, account, address, old, start, shown: () => getImport(ctx, OWNER, id) };
}

async function expectSame(old: ImapFlow, address: string, folders: Record<string, string>) {
  const app = await signIn(dovecot.imap, address);
  for (const [from, to] of Object.entries(folders))
    expect(await messagesIn(app, to), from).toEqual(await messagesIn(old, from));
  await app.logout();
}

test("imports folders, flags, dates and order, and only what is new the next time", async () => {
  const { id, ctx, address, old, shown } = await anImport([
    [
      ["INBOX"],
      [
        ...many(1, 5),
        aMessage(6, { flags: ["\\Seen", "$Forwarded", "Work"] }),
        // The same message twice, and one without a Message-ID.
        aMessage(1),
        aMessage(7, { headers: "X-Nothing: 1\r\n" }),
      ],
    ],
    [["Sent Items"], many(100, 3, ["\\Seen"])],
    [["Sent Items", "2024"], many(110, 2)],
    [["Clients", "Zoë", "Quotes & more"], many(200, 4, ["\\Flagged"])],
  ]);
  await runImports();
  // The appliance isn't the mailbox user.
  expect(await db().$count(mailboxSignIns, eq(mailboxSignIns.address, address))).toBe(0);

  const folders = {
    INBOX: "INBOX",
    "Sent Items": "Sent",
    "Sent Items.2024": "Sent/2024",
    "Clients.Zoë.Quotes & more": "Clients/Zoë/Quotes & more",
  };
  await expectSame(old, address, folders);
  expect(await shown()).toMatchObject({
    state: "done",
    problem: null,
    messagesTotal: 17,
    messagesDone: 17,
    messagesImported: 17,
    errors: 0,
    hasSecret: true,
  });

  const app = await signIn(dovecot.imap, address);
  await app.mailboxOpen("INBOX");
  await app.messageFlagsAdd("2", ["\\Answered"]);
  await old.mailboxOpen("INBOX");
  await old.messageFlagsAdd("1", ["\\Seen"]);
  await old.messageFlagsRemove("6", ["Work"]);
  await fill(old, ["INBOX"], many(50, 2));
  await repeatImport(ctx, OWNER, id);
  await runImports();

  const [first, second, ...rest] = await messagesIn(app, "INBOX");
  const [firstOld, secondOld, ...restOld] = await messagesIn(old, "INBOX");
  expect([first, ...rest]).toEqual([firstOld, ...restOld]);
  // Changed in the new mailbox only.
  expect(second).toBe(secondOld!.replace("> ", "> \\Answered"));
  expect(await shown()).toMatchObject({ state: "done", messagesTotal: 19, messagesImported: 19 });
  await Promise.all([app.logout(), old.logout()]);
});

test("resumes after kill -9, and imports each message once", async () => {
  const folders = Array.from({ length: 10 }, (_, at): [string[], AppendedMessage[]] => [
    [`Folder ${at}`],
    many(at * 100, 40).map((message) => ({ ...message, flags: at % 2 ? ["\\Seen"] : [] })),
  ]);
  const { id, address, old, shown } = await anImport(folders);
  const importer = fork(fileOf("worker/imports/main.ts"), {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(importer, "exit");
  await vi.waitFor(async () => expect((await shown()).messagesDone).toBeGreaterThan(0), {
    interval: 2,
  });
  importer.kill("SIGKILL");
  await exited;
  const interrupted = await shown();
  expect(interrupted).toMatchObject({ state: "running" });
  expect(interrupted.messagesDone).toBeLessThan(400);

  // As if it had been killed after it saved a batch and before it recorded that.
  const [last] = await db()
    .select({ folderId: mailImportBatches.folderId, firstUid: mailImportBatches.firstUid })
    .from(mailImportBatches)
    .innerJoin(mailImportFolders, eq(mailImportFolders.id, mailImportBatches.folderId))
    .where(eq(mailImportFolders.importId, id))
    .orderBy(desc(mailImportFolders.source))
    .limit(1);
  await db().delete(mailImportBatches).where(eq(mailImportBatches.folderId, last!.folderId));
  await runImports();
  // Leased for up to 30 seconds.
  expect(await shown()).toMatchObject({ state: "running" });
  await db()
    .update(mailImports)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(mailImports.id, id));
  await runImports();

  const names = Object.fromEntries(folders.map(([[name]]) => [name!, name!] as const));
  await expectSame(old, address, names);
  expect(await shown()).toMatchObject({ state: "done", messagesDone: 400, errors: 0 });
  await old.logout();
});

test("gives up an import that keeps ending the importer", async () => {
  const { id, shown } = await anImport([[["INBOX"], many(1, 1)]]);
  await db()
    .update(mailImports)
    .set({ state: "running", leasedBy: id, failures: 20, nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(mailImports.id, id));
  await runImports();
  const problem = expect.stringMatching(/^The import was interrupted 21 times/) as string;
  expect(await shown()).toMatchObject({ state: "failed", problem, messagesImported: 0 });
});

test("stops when the mailbox is full, and says so", async () => {
  const big = Array.from({ length: 4 }, (_, at) => aMessage(at, { bytes: 600_000 }));
  const { id, ctx, address, shown } = await anImport([[["INBOX"], big]], { quotaMb: 1 });
  await runImports();
  const stopped = await shown();
  expect(stopped).toMatchObject({ state: "failed", hasSecret: true, messagesImported: 0 });
  expect(stopped.problem).toMatch(/full.*Raise the mailbox's storage limit/);

  await db().update(mailboxes).set({ quotaMb: 10 }).where(eq(mailboxes.address, address));
  await repeatImport(ctx, OWNER, id);
  await runImports();
  expect(await shown()).toMatchObject({ state: "done", messagesImported: 4 });
});

test("erases a password that the server rejects, and continues with another one", async () => {
  const secret = "not the password";
  const { ctx, address, shown, start } = await anImport([[["INBOX"], many(1, 1)]], { secret });
  await runImports();
  const rejected = await shown();
  expect(rejected).toMatchObject({ state: "failed", hasSecret: false });
  expect(rejected.problem).toMatch(/^The server rejected the account or password/);
  await start(SOURCE_PASSWORD);
  await runImports();
  expect(await shown()).toMatchObject({ state: "done", messagesImported: 1 });

  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId))
    .orderBy(auditEntries.createdAt);
  expect(entries.map(({ action }) => action)).toEqual([
    "mail_import.started",
    "mail_import.failed",
    "mail_import.started",
    "mail_import.finished",
  ]);
  expect(JSON.stringify([entries, rejected])).not.toMatch(/not the password|source-password/);
  expect(entries.at(-1)!.details).toMatchObject({ mailbox: address, messages: 1 });
});

test("posthouse import has the worker continue an import, and follows it to the end", async () => {
  const { account, address, old, shown } = await anImport([[["INBOX"], many(1, 2)]]);
  await runImports();
  await fill(old, ["INBOX"], many(10, 3));
  const server = `imap://127.0.0.1:${source.port}`;
  const ended = runPosthouse(
    ["import", "--from", server, "--unencrypted", "--user", account, "--to", address],
    { POSTHOUSE_IMPORT_PASSWORD: SOURCE_PASSWORD },
  );
  // It queues the import while the worker sleeps.
  const worker = await startImporter({ connection: pool(), log: pino({ level: "silent" }) });
  expect(await ended).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining(`${account} → ${address}: 5 messages imported`) as string,
  });
  await worker.stop();
  expect(await shown()).toMatchObject({ messagesTotal: 5, hasSecret: false });
});

test("posthouse import reads a key of several lines from standard input", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = {
    type: "service_account",
    client_email: "mover@project.iam.gserviceaccount.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  const ended = runPosthouse(
    "import --from imaps://imap.gmail.com --sign-in google --user ann@old.example --to"
      .split(" ")
      .concat(address),
    {},
    [],
    JSON.stringify(key, null, 2),
  );
  const own = eq(mailImports.mailbox, address);
  await vi.waitFor(async () => expect(await db().$count(mailImports, own)).toBe(1));
  const [row] = await db().select().from(mailImports).where(own);
  expect(JSON.parse(unseal("import_secret", row!.sealedSecret!))).toEqual(key);
  await db().update(mailImports).set({ state: "failed", problem: "Stopped" }).where(own);
  expect(await ended).toMatchObject({ code: 1 });
});
