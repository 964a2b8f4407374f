import { and, asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  admins,
  aliases,
  auditEntries,
  companies,
  mailboxes,
  mailboxImportLines,
  mailboxImports,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { passwordMatches } from "#server/core/access/admins/password.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { config } from "#server/config.ts";
import {
  deleteOldImports,
  erasePasswordsOfImports,
} from "#server/core/mailboxes/mailbox-imports/mailbox-imports.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { runMailboxImport } from "#server/core/mailboxes/mailbox-imports/run-mailbox-import.ts";
import { findPendingLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import { db } from "#server/db/pool.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { call } from "#server/testing/call.ts";
import { aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aCompany, aContext, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { noticeTo } from "#server/testing/sent-notices.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { mailboxImportsConsole } from "./mailbox-imports.ts";
import { sessionsConsole } from "./sessions.ts";

const ALL: Privilege[] = ["create_users", "update_users", "view_users", "manage_settings"];

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());

let company: { companyId: string; domain: Awaited<ReturnType<typeof aDomain>>; ann: Caller };
beforeEach(async () => {
  const { id: companyId } = await aCompany();
  company = { companyId, domain: await aDomain(companyId), ann: await aCaller(companyId) };
});

type Caller = { id: string; email: string; cookie: string };

async function aCaller(companyId: string): Promise<Caller> {
  const { id, email } = await anAdmin(companyId, { privileges: ALL });
  return { id, email, cookie: (await startSession(db(), id)).split(";")[0]! };
}

const at = (localPart: string) => `${localPart}@${company.domain.name}`;

const someLines = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ email: at(`p${i}`), name: `Person ${i}` }));

async function start(lines: object[], options: object = {}): Promise<string> {
  const numbered = lines.map((line, i) => ({ number: i + 2, ...line }));
  const body = { lines: numbered, ...options };
  const answer = await call(mailboxImportsConsole.start, { cookie: company.ann.cookie, body });
  expect(answer.status).toBe(200);
  return (answer.body as { id: string }).id;
}

type Verb = keyof typeof mailboxImportsConsole;

async function ask(verb: Verb, id: string, { cookie } = company.ann, body?: object) {
  const answer = await call(mailboxImportsConsole[verb], { cookie, params: { id }, body });
  return { status: answer.status, body: answer.body as Record<string, unknown> };
}

const shown = async (id: string) => (await ask("get", id)).body;

const passwordsOf = async (id: string) =>
  (await ask("readPasswords", id)).body.data as { address: string; password: string }[];

const made = () =>
  db()
    .select()
    .from(mailboxes)
    .where(eq(mailboxes.companyId, company.companyId))
    .orderBy(asc(mailboxes.address));

const jobsOf = (id: string) =>
  db().execute(
    sql`select run_at from graphile_worker.jobs where key = ${`import_mailboxes:${id}`}`,
  );

test("creates each mailbox with its aliases, size, unit and a password that works", async () => {
  const id = await start(
    [
      {
        email: at("Ann.Lee"),
        name: "Ann Lee",
        quotaMb: 512,
        aliases: [at("press")],
        unit: "IT / Ops",
      },
      { email: at("ben"), name: "Ben" },
      { email: "nobody", name: "" },
    ],
    { createUnits: true },
  );
  expect(await shown(id)).toMatchObject({ state: "running", total: 3, waiting: 2, skipped: 1 });
  expect(await made()).toEqual([]);
  await runMailboxImport(db(), id);

  expect(await shown(id)).toMatchObject({
    state: "done",
    startedBy: company.ann.email,
    created: 2,
    waiting: 0,
    failed: 0,
    passwords: 2,
    problems: [
      {
        number: 4,
        address: "nobody",
        problem: "Address must be a valid email address. Name is required",
      },
    ],
  });
  const [ann, ben] = await made();
  expect(ann).toMatchObject({ address: at("ann.lee"), name: "Ann Lee", quotaMb: 512 });
  const [unit] = await db().select().from(orgUnits).where(eq(orgUnits.id, ann!.orgUnitId));
  expect(unit!.name).toBe("Ops");
  expect(await db().select().from(aliases).where(eq(aliases.mailbox, ann!.address))).toHaveLength(
    1,
  );
  const passwords = await passwordsOf(id);
  expect(passwords.map(({ address }) => address)).toEqual([at("ann.lee"), at("ben")]);
  expect(await passwordMatches(passwords[1]!.password, ben!.passwordHash)).toBe(true);
  expect(ben!.forcePasswordChange).toBe(true);
});

test("keeps passwords sealed, and only for the admin who started the import", async () => {
  const id = await start(someLines(1));
  await runMailboxImport(db(), id);
  const { password } = (await passwordsOf(id))[0]!;
  const rows = await db()
    .select()
    .from(mailboxImportLines)
    .where(eq(mailboxImportLines.importId, id));
  expect(JSON.stringify(rows)).not.toContain(password);
  const other = await aCaller(company.companyId);
  expect((await ask("get", id, other)).body).toMatchObject({ created: 1, passwords: 0 });
  expect(await ask("readPasswords", id, other)).toMatchObject({ status: 404 });
  const body = { addresses: [at("p0")] };
  expect(await ask("erasePasswords", id, other, body)).toMatchObject({ status: 404 });
  expect(await passwordsOf(id)).toHaveLength(1);
});

test("shows no password of a mailbox user who has since got more privileges than the caller", async () => {
  const id = await start(someLines(1));
  await runMailboxImport(db(), id);
  await anAdmin(company.companyId, { email: at("p0"), isOwner: true });
  expect(await ask("readPasswords", id)).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test("erases only the passwords that were shown", async () => {
  const id = await start(someLines(2));
  await runMailboxImport(db(), id);
  await ask("erasePasswords", id, company.ann, { addresses: [at("p0")] });
  expect(await passwordsOf(id)).toMatchObject([{ address: at("p1") }]);
});

test("erases passwords a day after the import has ended, and the import after a month", async () => {
  const id = await start(someLines(1));
  await runMailboxImport(db(), id);
  const endedHoursAgo = (hours: number) =>
    db()
      .update(mailboxImports)
      .set({ finishedAt: sql`now() - make_interval(hours => ${hours})` })
      .where(eq(mailboxImports.id, id));
  await endedHoursAgo(23);
  await erasePasswordsOfImports(db(), 1);
  expect(await passwordsOf(id)).toHaveLength(1);
  await endedHoursAgo(25);
  await erasePasswordsOfImports(db(), 1);
  expect(await passwordsOf(id)).toEqual([]);
  await deleteOldImports(db(), 30);
  expect(await shown(id)).toMatchObject({ created: 1 });
  await endedHoursAgo(31 * 24);
  await deleteOldImports(db(), 30);
  expect(await ask("get", id)).toMatchObject({ status: 404 });
  expect(await made()).toHaveLength(1);
});

test("several runs at once create each mailbox once", async () => {
  const id = await start(someLines(60));
  await Promise.all([1, 2, 3].map(() => runMailboxImport(db(), id, { sliceMs: Infinity })));
  expect(await shown(id)).toMatchObject({ state: "done", created: 60, failed: 0, passwords: 60 });
  expect(await made()).toHaveLength(60);
  const rows = await db()
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, company.companyId),
        eq(auditEntries.action, "mailbox_import.finished"),
      ),
    );
  expect(rows).toMatchObject([{ details: { created: 60 } }]);
});

test("continues in another job after its slice", async () => {
  const id = await start(someLines(60));
  await db().execute(sql`select graphile_worker.remove_job(${`import_mailboxes:${id}`})`);
  await runMailboxImport(db(), id, { sliceMs: 0 });
  const { created, state } = await shown(id);
  expect(created).toBeGreaterThan(0);
  expect([created, state]).not.toEqual([60, "running"]);
  expect(await jobsOf(id)).toHaveLength(1);
  await runMailboxImport(db(), id, { sliceMs: Infinity });
  expect(await shown(id)).toMatchObject({ state: "done", created: 60, passwords: 60 });
});

/** Makes imports fail when they record a line. */
async function failAt(position: number) {
  await db().execute(sql`
    create function fail() returns trigger language plpgsql as $$
      begin raise 'killed'; end $$`);
  await db().execute(sql`
    create trigger fail before update of sealed_password on mailbox_import_lines
      for each row when (new.position = ${sql.raw(String(position))}) execute function fail()`);
}

const repair = () => db().execute(sql`drop function fail cascade`);

test("a mailbox exists if and only if its line says so, whenever the process is killed", async () => {
  const id = await start(someLines(40));
  await failAt(30);
  await expect(runMailboxImport(db(), id)).rejects.toThrow();
  await repair();
  const half = await shown(id);
  expect(half).toMatchObject({ state: "running", problem: "Internal error. Retrying" });
  expect(await made()).toHaveLength(half.created as number);
  expect(half.created).toBeLessThan(40);
  await runMailboxImport(db(), id, { sliceMs: Infinity });
  expect(await shown(id)).toMatchObject({ state: "done", problem: null, passwords: 40 });
  expect(await made()).toHaveLength(40);
});

test("stops after eight failures, and can be continued", async () => {
  const id = await start(someLines(30));
  await failAt(27);
  await expect(runMailboxImport(db(), id, { attempt: 7 })).rejects.toThrow();
  expect(await shown(id)).toMatchObject({ state: "running", problem: "Internal error. Retrying" });
  await expect(runMailboxImport(db(), id, { attempt: 8 })).rejects.toThrow();
  expect(await shown(id)).toMatchObject({
    state: "stopped",
    problem: "Internal error",
    created: 25,
    waiting: 5,
  });
  await repair();
  await ask("resume", id);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", problem: null, created: 30 });
});

test("says that the mail server can't be reached, and retries", async () => {
  const id = await start(someLines(30));
  const { dataFolder } = config();
  config().dataFolder = "/nowhere";
  await runMailboxImport(db(), id);
  config().dataFolder = dataFolder;
  expect(await shown(id)).toMatchObject({
    state: "running",
    created: 0,
    problem: expect.stringMatching(/^The mail server .*\. Retrying$/) as string,
  });
  expect(await jobsOf(id)).toHaveLength(1);
  await runMailboxImport(db(), id, { sliceMs: 0 });
  expect(await shown(id)).toMatchObject({ state: "running", problem: null, created: 25 });
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", problem: null, created: 30 });
});

test("a failed line says why, and is retried when the import is continued", async () => {
  const id = await start(someLines(2));
  await db().execute(sql`
    insert into addresses (address, company_id, domain_id, kind)
    values (${at("p1")}, ${company.companyId}, ${company.domain.id}, 'inbound')`);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({
    state: "done",
    created: 1,
    failed: 1,
    problems: [
      { number: 3, problem: expect.stringContaining("is already an inbound address") as string },
    ],
  });
  await db().execute(sql`delete from addresses where address = ${at("p1")}`);
  await ask("resume", id);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", created: 2, failed: 0, passwords: 2 });
});

test("adds missing aliases to mailboxes that exist", async () => {
  const { address } = await aMailbox(company.domain, { address: at("old") });
  const id = await start([{ email: address, name: "", aliases: [at("also")] }]);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", created: 0, failed: 0, passwords: 0 });
  expect(await db().select().from(aliases).where(eq(aliases.mailbox, address))).toMatchObject([
    { address: at("also") },
  ]);
});

test("a stopped import creates nothing more until it is continued", async () => {
  const id = await start(someLines(2));
  await ask("stop", id);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "stopped", waiting: 2, problem: null });
  expect(await made()).toEqual([]);
  await ask("resume", id);
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", created: 2 });
});

test("stops when the admin who started it was disabled", async () => {
  const id = await start(someLines(1));
  await db()
    .update(admins)
    .set({ disabledAt: sql`now()` })
    .where(eq(admins.id, company.ann.id));
  await runMailboxImport(db(), id);
  const ben = await aCaller(company.companyId);
  expect((await ask("get", id, ben)).body).toMatchObject({
    state: "stopped",
    problem: `${company.ann.email} is no longer an admin of the company`,
    created: 0,
  });
  await ask("resume", id, ben);
  await runMailboxImport(db(), id);
  expect((await ask("get", id, ben)).body).toMatchObject({ state: "done", passwords: 1 });
});

test("stops when the company was suspended", async () => {
  const id = await start(someLines(1));
  const setSuspended = (suspendedAt: string | null) =>
    db().update(companies).set({ suspendedAt }).where(eq(companies.id, company.companyId));
  await setSuspended(new Date().toISOString());
  await runMailboxImport(db(), id);
  await setSuspended(null);
  expect(await shown(id)).toMatchObject({
    state: "stopped",
    problem: "The company is suspended",
    created: 0,
  });
});

test("runs with the privileges that the admin has then", async () => {
  const id = await start(someLines(1));
  await db().update(admins).set({ privileges: [] }).where(eq(admins.id, company.ann.id));
  await runMailboxImport(db(), id);
  expect(await made()).toEqual([]);
});

test("another admin can't take over an import with unsaved passwords", async () => {
  const id = await start(someLines(1));
  await runMailboxImport(db(), id);
  const ben = await aCaller(company.companyId);
  expect(await ask("resume", id, ben)).toMatchObject({ status: 403 });
  expect(await passwordsOf(id)).toHaveLength(1);
});

test("an admin limited to a unit sees and controls only their own imports", async () => {
  const id = await start(someLines(1));
  const { companyId, ann } = company;
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const cookie = await aSessionOfRole(companyId, sales);
  for (const verb of ["get", "stop", "resume", "readPasswords"] as const)
    expect(await ask(verb, id, { ...ann, cookie })).toMatchObject({ status: 404 });
  const { body } = await call(mailboxImportsConsole.list, { cookie });
  expect(body).toEqual({ data: [] });
  const own = await call(mailboxImportsConsole.start, {
    cookie,
    body: { lines: [{ number: 1, email: at("x"), name: "X" }] },
  });
  const { id: ownId } = own.body as { id: string };
  expect((await ask("stop", ownId, { ...ann, cookie })).status).toBe(200);
  expect(await shown(ownId)).toMatchObject({ state: "stopped" });
});

test("a line with an impossible size is skipped", async () => {
  const id = await start([{ email: at("a"), name: "Ann", quotaMb: 1e15 }, ...someLines(1)]);
  expect(await shown(id)).toMatchObject({
    skipped: 1,
    waiting: 1,
    problems: [{ problem: expect.stringContaining("Storage limit must be") as string }],
  });
});

test("the console knows whether an import is running or has passwords to save", async () => {
  const isOpen = async ({ cookie } = company.ann) =>
    ((await call(sessionsConsole.getMe, { cookie })).body as Record<string, unknown>)
      .hasOpenMailboxImport;
  expect(await isOpen()).toBe(false);
  const id = await start(someLines(1));
  expect(await isOpen()).toBe(true);
  await runMailboxImport(db(), id);
  expect(await isOpen()).toBe(true);
  expect(await isOpen(await aCaller(company.companyId))).toBe(false);
  await ask("erasePasswords", id, company.ann, { addresses: [at("p0")] });
  expect(await isOpen()).toBe(false);
});

const invited = (count: number) =>
  someLines(count).map((line, i) => ({ ...line, instructionsTo: `p${i}@home.example` }));

const notices = () =>
  db().execute(sql`
    select payload -> 'notice' as notice from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${company.companyId}`);

test("emails users with a private address a link, once, and stores no password for them", async () => {
  const id = await start([...invited(1), { email: at("ben"), name: "Ben" }]);
  await Promise.all([1, 2].map(() => runMailboxImport(db(), id)));
  expect(await shown(id)).toMatchObject({ state: "done", created: 2, invited: 1, passwords: 1 });
  expect(await passwordsOf(id)).toMatchObject([{ address: at("ben") }]);
  const to = "p0@home.example";
  expect(await notices()).toMatchObject([
    { notice: { kind: "password_link", mailbox: at("p0"), to, sentBy: company.ann.email } },
  ]);
  const link = await findPendingLink(aContext(company.companyId), at("p0"));
  expect(link).toMatchObject({ sentTo: to });
  expect(await noticeTo(company.companyId, to)).toMatch(/\/account\/set-password#\S{43}/);
});

test("waits once 100 links were sent within an hour", async () => {
  const { companyId } = company;
  const sent = { companyId, actor: "x", action: "mailbox.link_sent", details: {} };
  await db()
    .insert(auditEntries)
    .values(Array.from({ length: 99 }, () => sent));
  const id = await start(invited(2));
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({
    state: "running",
    waiting: 2,
    invited: 0,
    problem: "Posthouse emails at most 100 password links an hour. Retrying",
  });
  expect(await made()).toEqual([]);
  expect(await notices()).toEqual([]);
  expect(await jobsOf(id)).toHaveLength(1);
  await db().delete(auditEntries).where(eq(auditEntries.actor, "x"));
  await runMailboxImport(db(), id);
  expect(await shown(id)).toMatchObject({ state: "done", problem: null, invited: 2, passwords: 0 });
  expect(await notices()).toHaveLength(2);
});
