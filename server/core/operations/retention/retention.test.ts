import { randomUUID } from "node:crypto";

import { eq, inArray, sql } from "drizzle-orm";
import { v7 } from "uuid";
import { beforeEach, expect, test } from "vitest";

import {
  auditEntries,
  emailEvents,
  emails,
  mailboxContacts,
  outbox,
  settings,
  suppressions,
} from "#drizzle/schema/index.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox, aSuppression } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { applyRetention, RETENTION } from "./retention.ts";

beforeEach(async () => {
  await db().delete(settings);
});

/** Emails whose ids and times are `days` old. */
async function oldEmails(days: number, number: number): Promise<string[]> {
  const ids = await queuedEmails(
    await aSender(),
    Array.from({ length: number }, () => ["ann@there.test"]),
  );
  const at = sql`clock_timestamp() - make_interval(days => ${days})`;
  const rows = await db().execute<{ id: string }>(sql`
    select (lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid::text as id
    from unnest(${sql.param(ids)}::uuid[]) as id`);
  // Foreign keys refer to the ids, so create the rows again under older ones.
  for (const [at, { id }] of rows.entries()) {
    await db().execute(sql`
      insert into emails (id, company_id, domain_id, "from", subject, "to", last_event, created_at, sent_at)
      select ${id}::uuid, company_id, domain_id, "from", subject, "to", 'delivered',
        clock_timestamp() - make_interval(days => ${days}), clock_timestamp() - make_interval(days => ${days})
      from emails where id = ${ids[at]!}::uuid`);
    await db().execute(sql`
      insert into email_events (email_id, company_id, type, recipient)
      select ${id}::uuid, company_id, type::email_event_type, recipient from emails,
        (values ('sent', null), ('delivered', 'ann@there.test')) as events(type, recipient)
      where emails.id = ${ids[at]!}::uuid`);
    await db().delete(emails).where(eq(emails.id, ids[at]!));
  }
  return rows.map(({ id }) => id);
}

const kept = async (ids: string[]) => db().$count(emails, inArray(emails.id, ids));

test("keeps everything by default", async () => {
  const ids = await oldEmails(4_000, 2);
  await applyRetention(db(), RETENTION.night);
  expect(await kept(ids)).toBe(2);
});

test("deletes old emails with their history, but none that is still queued, and the ledger stays exact", async () => {
  const [old, young] = [await oldEmails(31, 3), await oldEmails(29, 2)];
  const waiting = old.pop()!;
  await db().insert(outbox).values({
    emailId: waiting,
    recipient: "ann@there.test",
    destination: "there.test",
  });
  await db()
    .delete(emailEvents)
    .where(sql`${emailEvents.emailId} = ${waiting} and ${emailEvents.type} = 'delivered'`);
  await changeSetting(db(), "keep_emails_days", "30");
  await applyRetention(db(), RETENTION.night);
  expect(await kept(old)).toBe(0);
  expect(await db().$count(emailEvents, inArray(emailEvents.emailId, old))).toBe(0);
  expect(await kept([...young, waiting])).toBe(3);
  expect((await auditLedger(db())).unaccounted).toBe(0);
});

test("deletes old audit entries, contacts, and suppressions for bounces", async () => {
  const company = await aCompany();
  const mailbox = await aMailbox(await aDomain(company.id));
  await recordAudit(aContext(company.id), "domain.created", {});
  for (const origin of ["bounce", "complaint", "manual"] as const)
    await aSuppression(company.id, {
      email: `${origin}@there.test`,
      origin,
      sourceId: origin === "bounce" ? randomUUID() : null,
    });
  const [imported, importedLongAgo] = ["imported@there.test", "imported-long-ago@there.test"];
  await aSuppression(company.id, { email: imported, origin: "bounce" });
  const id = v7({ msecs: Date.now() - 31 * 24 * 3600 * 1000 });
  await aSuppression(company.id, { email: importedLongAgo, origin: "bounce", id });
  await db()
    .insert(mailboxContacts)
    .values({ mailbox: mailbox.address, contact: "eve@there.test" });
  for (const table of ["audit_entries", "suppressions", "mailbox_contacts"])
    await db().execute(
      sql`update ${sql.identifier(table)} set created_at = created_at - interval '31 days'`,
    );
  for (const name of ["keep_audit_days", "keep_suppressions_days", "keep_contacts_days"])
    await changeSetting(db(), name, "32");
  await applyRetention(db(), RETENTION.night);
  expect(await db().$count(mailboxContacts)).toBe(1);

  for (const name of ["keep_audit_days", "keep_suppressions_days", "keep_contacts_days"])
    await changeSetting(db(), name, "30");
  await applyRetention(db(), RETENTION.night);
  expect(await db().$count(auditEntries, eq(auditEntries.companyId, company.id))).toBe(0);
  expect(await db().$count(mailboxContacts)).toBe(0);
  const left = await db().select().from(suppressions).where(eq(suppressions.companyId, company.id));
  const expected = ["complaint@there.test", imported, "manual@there.test"];
  expect(left.map(({ email }) => email).toSorted()).toEqual(expected);
});

test("a rule that fails doesn't stop the others and is named in the error", async () => {
  const applied: number[] = [];
  const rules = [
    { what: "broken things", days: null, apply: () => Promise.reject(new Error("no room")) },
    {
      what: "fine things",
      days: 9,
      apply: (_: unknown, days: number) => Promise.resolve(applied.push(days)),
    },
  ];
  await expect(applyRetention(db(), rules)).rejects.toThrow(
    "Retention failed for broken things: no room",
  );
  expect(applied).toEqual([9]);
});
