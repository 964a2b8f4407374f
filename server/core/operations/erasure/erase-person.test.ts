import { eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { beforeEach, expect, test } from "vitest";

import {
  auditEntries,
  deletedItems,
  emailBodies,
  emailEvents,
  emails,
  mailboxImportLines,
  mailboxImports,
  mailLog,
  receivedEmails,
  outbox,
  quarantine,
  suppressions,
} from "#drizzle/schema/index.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  aSuppression,
} from "#server/testing/factories.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";

import { erasePerson } from "./erase-person.ts";

const ANN = "ann@example.com";
/** Contains her address. */
const JOANN = "joann@example.com";

let ctx: ReturnType<typeof aContext>;
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
});

const erase = (address = ANN, keepsSuppressions = false) =>
  erasePerson(ctx, { address, keepsSuppressions });

async function aDeliveredEmail(...to: string[]): Promise<string> {
  const sender = await aSender();
  const id = await aQueuedEmail(sender, ...to);
  await db()
    .insert(emailEvents)
    .values(
      to.map((recipient) => ({
        emailId: id,
        companyId: sender.companyId,
        type: "delivered" as const,
        recipient,
        message: `250 2.1.5 <${recipient}> ok`,
        ipAddress: "192.0.2.7",
      })),
    );
  await db().delete(outbox).where(eq(outbox.emailId, id));
  return id;
}

test("replaces the address in emails and deletes their content, and the ledger stays exact", async () => {
  const id = await aDeliveredEmail(ANN, JOANN);
  const other = await aDeliveredEmail(JOANN);
  const before = await auditLedger(db());
  const { pseudonym, erased } = await erase("Ann <ANN@example.com>");
  expect(pseudonym).toMatch(/^erased-[0-9a-f]{16}@erased\.invalid$/);
  expect(erased).toMatchObject({ emails: 1 });

  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(email).toMatchObject({ to: [pseudonym, JOANN], subject: "" });
  expect(await db().$count(emailBodies, eq(emailBodies.emailId, id))).toBe(0);
  expect(await db().$count(emailBodies, eq(emailBodies.emailId, other))).toBe(1);
  const events = await db().select().from(emailEvents).where(eq(emailEvents.emailId, id));
  const delivered = events.filter(({ type }) => type === "delivered");
  expect(
    delivered.map(({ recipient, message, ipAddress }) => [recipient, message, ipAddress]),
  ).toEqual([
    [pseudonym, `250 2.1.5 <${pseudonym}> ok`, null],
    [JOANN, `250 2.1.5 <${JOANN}> ok`, null],
  ]);
  expect(await auditLedger(db())).toEqual(before);
});

test("erases emails in batches", async () => {
  const address = "batched@example.com";
  for (let n = 0; n < 5; n++) await aDeliveredEmail(address);
  const { erased } = await erasePerson(ctx, { address, keepsSuppressions: false, batchSize: 2 });
  expect(erased).toMatchObject({ emails: 5 });
  expect(await db().$count(emails, sql`${address} = any("to")`)).toBe(0);
  expect(await db().$count(emailEvents, eq(emailEvents.recipient, address))).toBe(0);
});

test("nothing in the database contains the address afterwards", async () => {
  const company = await aCompany();
  await aDeliveredEmail(ANN);
  await aSuppression(company.id, { email: ANN });
  await recordAudit(aContext(company.id), "suppression.added", { email: ANN, note: `<${ANN}>` });
  await db()
    .insert(mailLog)
    .values([
      { kind: "received", sender: ANN, recipient: "x@y.test", reply: "250 ok" },
      { kind: "received", sender: JOANN, recipient: "x@y.test", reply: "250 ok" },
    ]);
  const domain = await aDomain(company.id);
  const received = { companyId: company.id, sender: JOANN, receivedFor: [], size: 1 };
  await db()
    .insert(receivedEmails)
    .values([
      { ...received, id: uuidv7(), headerFrom: `Ann <${ANN}>` },
      { ...received, id: uuidv7(), cc: [ANN] },
      { ...received, id: uuidv7(), cc: [JOANN] },
    ]);
  const list = { companyId: company.id, startedBy: JOANN, isConfined: false };
  const [imported] = await db()
    .insert(mailboxImports)
    .values({ ...list, state: "done" })
    .returning();
  const line = { importId: imported!.id, name: "Ann", aliases: [], state: "skipped" as const };
  await db()
    .insert(mailboxImportLines)
    .values([
      { ...line, position: 0, number: 2, address: "Ann <Ann@Example.com>" },
      { ...line, position: 1, number: 3, address: JOANN, privateAddress: ANN },
    ]);
  const emailId = await aDeliveredEmail(JOANN);
  await db()
    .insert(emailEvents)
    .values({ emailId, companyId: company.id, type: "replied", recipient: ANN });
  await aGroup(domain, { members: [ANN, JOANN] });
  await deleteDomain(aContext(company.id), domain.id, { via: "console" });
  await erase();
  const [kept] = await db().select().from(deletedItems).where(eq(deletedItems.name, domain.name));
  expect(kept!.contents.group_members).toMatchObject([{ member: JOANN }]);
  const tables = await db().execute<{ name: string }>(sql`
    select relname as name from pg_stat_user_tables where schemaname = 'public'`);
  for (const { name } of tables) {
    const [row] = await db().execute<{ found: number }>(sql`
      select count(*)::int as found from ${sql.identifier(name)} as t
      where t::text ~* '(?<![a-z])ann@example\.com'`);
    expect(row!.found, name).toBe(0);
  }
  expect(await db().$count(mailLog, eq(mailLog.sender, JOANN))).toBe(1);
  expect(await db().$count(mailboxImportLines, eq(mailboxImportLines.importId, imported!.id))).toBe(
    1,
  );
  expect(await db().$count(receivedEmails, eq(receivedEmails.companyId, company.id))).toBe(1);
  expect(await db().$count(auditEntries, eq(auditEntries.action, "person.erased"))).toBeGreaterThan(
    0,
  );
});

test("can keep the address suppressed", async () => {
  const company = await aCompany();
  await aSuppression(company.id, { email: "eve@example.com" });
  await erase("eve@example.com", true);
  expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(1);
  await erase("eve@example.com");
  expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(0);
});

test("refuses the appliance's own addresses", async () => {
  const company = await aCompany();
  const { address } = await aMailbox(await aDomain(company.id));
  await expect(erase(address)).rejects.toThrow("is a mailbox, alias, group or inbound address of");
  const domain = await aDomain(company.id);
  const group = await aGroup(domain);
  await deleteDomain(aContext(company.id), domain.id, { via: "console" });
  await expect(erase(group.address)).rejects.toThrow("is a deleted mailbox, alias or group");
  await expect(erase("not an address")).rejects.toThrow('"not an address" is not an email address');
});

test("deletes quarantined spam, but refuses until a group's moderators have decided", async () => {
  const { companyId } = ctx;
  const quarantined = (reason: "spam" | "moderation") =>
    quarantineMessage(db(), {
      companyId,
      reason,
      sender: "moderated@example.com",
      recipients: ["all@here.test"],
      headerFrom: "Eve",
      subject: "Hello",
      clientAddress: null,
      score: null,
      findings: [],
      content: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    });
  await quarantined("spam");
  const { id } = await quarantined("moderation");
  await expect(erase("moderated@example.com")).rejects.toThrow("awaiting moderation");
  expect(await db().$count(quarantine, eq(quarantine.companyId, companyId))).toBe(2);
  await db().delete(quarantine).where(eq(quarantine.id, id));
  expect((await erase("moderated@example.com")).erased).toMatchObject({
    "quarantined messages": 1,
  });
});

test("refuses until every recipient of an email has an outcome", async () => {
  const id = await aQueuedEmail(await aSender(), "settled@example.com", JOANN);
  await db().delete(outbox).where(eq(outbox.recipient, "settled@example.com"));
  await expect(erase("settled@example.com")).rejects.toThrow(
    "is still queued, scheduled, on hold or awaiting moderation (emails and messages: 1)",
  );
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(email!.to).toEqual(["settled@example.com", JOANN]);
  await db().delete(outbox).where(eq(outbox.emailId, id));
  expect((await erase("settled@example.com")).erased).toMatchObject({ emails: 1 });
});
