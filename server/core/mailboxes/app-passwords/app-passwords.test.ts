import { randomUUID } from "node:crypto";

import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { appPasswords, auditEntries, type Mailbox, orgUnits } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswords,
  recordAppPasswordUse,
} from "./app-passwords.ts";

let dovecot: TestDovecot;
const { dataFolder } = config();
beforeAll(async () => {
  dovecot = await aDovecot();
  config().dataFolder = dovecot.dataFolder;
});
afterAll(async () => {
  config().dataFolder = dataFolder;
  await dovecot.stop();
});

let mailbox: Mailbox;
let ctx: Context;
let foreign: Context;
beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
  ctx = {
    ...aContext(mailbox.companyId),
    actor: { kind: "mailbox", address: mailbox.address },
  };
  foreign = aContext((await aCompany()).id);
});

const create = (name = "Phone") => createAppPassword(ctx, mailbox.address, name);

const audited = (action: string) =>
  db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, mailbox.companyId), eq(auditEntries.action, action)));

test("creates a random secret of twenty letters and stores only its hash", async () => {
  const { id, secret } = await create("  Ann's phone ");
  expect(secret).toMatch(/^([a-z]{4}-){4}[a-z]{4}$/);
  expect((await create()).secret).not.toBe(secret);
  const [row] = await db().select().from(appPasswords).where(eq(appPasswords.id, id));
  expect(JSON.stringify(row)).not.toContain(secret);
  expect(await audited("app_password.created")).toMatchObject([
    { actor: mailbox.address, details: { id, mailbox: mailbox.address, name: "Ann's phone" } },
    {},
  ]);
  expect(JSON.stringify(await audited("app_password.created"))).not.toContain(secret);
});

test("requires a name of 1 to 60 characters", async () => {
  for (const name of ["", "  ", "\n\0", "x".repeat(61)])
    await expect(create(name)).rejects.toMatchObject({ reason: "invalid" });
  await create("x".repeat(60));
});

test("allows 25 per mailbox, even with concurrent requests", async () => {
  const made = await Promise.allSettled(Array.from({ length: 30 }, () => create()));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(25);
  expect(await listAppPasswords(ctx, mailbox.address)).toHaveLength(25);
});

test("rejects app passwords that the unit's policy forbids", async () => {
  await db()
    .update(orgUnits)
    .set({ appPasswordsAllowed: false })
    .where(eq(orgUnits.id, mailbox.orgUnitId));
  await expect(create()).rejects.toMatchObject({ reason: "not_allowed" });
});

test("lists the last use of each: time, protocol and network", async () => {
  const first = await create("First");
  const second = await create("Second");
  await recordAppPasswordUse(db(), first.id, { usedFor: "imap", from: "192.0.2.1" });
  // Within the same minute.
  await recordAppPasswordUse(db(), first.id, { usedFor: "smtp", from: "192.0.2.2" });
  expect(await listAppPasswords(ctx, mailbox.address)).toMatchObject([
    { id: second.id, name: "Second", lastUsedAt: null, lastUsedFor: null },
    { id: first.id, lastUsedFor: "imap", lastUsedFrom: "192.0.2.1" },
  ]);
});

test("deleting one ends its sessions immediately", async () => {
  const { id, secret } = await create();
  const app = await signIn(dovecot.imap, mailbox.address, { password: secret });
  const closed = new Promise((resolve) => app.once("close", resolve));
  await deleteAppPassword(ctx, mailbox.address, id);
  await closed;
  await expect(signIn(dovecot.imap, mailbox.address, { password: secret })).rejects.toThrow();
  expect(await listAppPasswords(ctx, mailbox.address)).toEqual([]);
  expect(await audited("app_password.deleted")).toMatchObject([{ actor: mailbox.address }]);
  await expect(deleteAppPassword(ctx, mailbox.address, id)).rejects.toMatchObject({
    reason: "not_found",
  });
});

test("deletes one while the mail server is down, and ends its sessions in a job", async () => {
  const { id } = await create();
  config().dataFolder = "/nonexistent";
  try {
    await deleteAppPassword(ctx, mailbox.address, id);
  } finally {
    config().dataFolder = dovecot.dataFolder;
  }
  expect(await listAppPasswords(ctx, mailbox.address)).toEqual([]);
  const jobs = await db().execute(sql`
    select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'end_mail_sessions' and payload ->> 'address' = ${mailbox.address}`);
  expect(jobs).toHaveLength(1);
});

test("hides it from other companies and mailboxes", async () => {
  const { id } = await create();
  const colleague = await aMailbox(await aDomain(mailbox.companyId));
  await expect(createAppPassword(foreign, mailbox.address, "x")).rejects.toMatchObject({
    reason: "not_found",
  });
  expect(await listAppPasswords(foreign, mailbox.address)).toEqual([]);
  for (const [context, address, wanted] of [
    [foreign, mailbox.address, id],
    [ctx, colleague.address, id],
    [ctx, mailbox.address, randomUUID()],
    [ctx, mailbox.address, "no id"],
  ] as const)
    await expect(deleteAppPassword(context, address, wanted)).rejects.toMatchObject({
      reason: "not_found",
    });
  expect(await listAppPasswords(ctx, mailbox.address)).toHaveLength(1);
});
