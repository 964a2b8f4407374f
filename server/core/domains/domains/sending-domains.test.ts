import { randomBytes } from "node:crypto";

import { and, eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { auditEntries, emailBodies, emails } from "#drizzle/schema/index.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { deleteDomain } from "./deleted-domains.ts";
import { addDomain } from "./domains.ts";
import { emailRecords } from "./sending-domains.ts";

// Local mode provides no DNS records.
config().localMode = false;

const TO = { to: " IT@contractor.example ", sentBy: "ann@northwind.example" };

let ctx: ReturnType<typeof aContext>;
let domain: Awaited<ReturnType<typeof addDomain>>["domain"];

beforeEach(async () => {
  ctx = aContext((await aCompany({ name: "Northwind" })).id);
  const name = `${randomBytes(6).toString("hex")}.test`;
  ({ domain } = await addDomain(ctx, { name }, { via: "console" }));
});

const sentTo = (address: string) =>
  db()
    .select()
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .then((rows) => rows.filter(({ emails: { to } }) => to.join().includes(address)));

async function jobs() {
  const rows = await db().execute<{ payload: JobPayload<"send_notice"> }>(sql`
    select payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${ctx.companyId}`);
  return rows.map(({ payload }) => payload);
}

test("sends the records and a zone file once, with replies to the admin, and records it", async () => {
  await emailRecords(ctx, domain.id, TO);

  const [job] = await jobs();
  await sendNotice(db(), job!);
  await sendNotice(db(), job!);
  const sent = (await sentTo("it@contractor.example")).filter(({ emails: { subject } }) =>
    subject.includes(domain.name),
  );
  expect(sent).toHaveLength(1);
  const [{ emails: email, email_bodies: body }] = sent as [(typeof sent)[0]];
  expect(email.subject).toBe(`DNS records to publish for ${domain.name}`);
  expect(email.replyTo.join()).toContain("ann@northwind.example");
  expect(body.text).toContain("ann@northwind.example asks you to publish DNS records");
  expect(body.text).toContain(`Host:      _svc-verify.${domain.name}`);
  expect(body.text).toContain(`svc-verify=${domain.ownershipToken}`);
  const audited = await db()
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, ctx.companyId),
        eq(auditEntries.action, "domain.records_emailed"),
      ),
    );
  expect(audited.map(({ details }) => details)).toEqual([
    { domainId: domain.id, name: domain.name, to: "it@contractor.example" },
  ]);
});

test("rejects an invalid address and another company's domain, and sends nothing", async () => {
  for (const to of ["", "it-person", "Ann <ann@x.example>", "a@x.example, b@x.example"])
    await expect(emailRecords(ctx, domain.id, { ...TO, to })).rejects.toMatchObject({
      reason: "invalid",
      fields: [{ path: "to" }],
    });
  const other = aContext((await aCompany()).id);
  await expect(emailRecords(other, domain.id, TO)).rejects.toMatchObject({ reason: "not_found" });
  expect(await jobs()).toEqual([]);
});

test("allows ten emails an hour in a company, also when they are sent at the same time", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, () => emailRecords(ctx, domain.id, TO)),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  expect(results.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { reason: "rate_limit_exceeded" },
  });
  expect(await jobs()).toHaveLength(10);
});

test("sends nothing for a domain that was deleted meanwhile", async () => {
  await emailRecords(ctx, domain.id, { ...TO, to: "late@contractor.example" });
  await deleteDomain(ctx, domain.id, { via: "console" });
  const [job] = await jobs();
  await sendNotice(db(), job!);
  expect(await sentTo("late@contractor.example")).toEqual([]);
});
