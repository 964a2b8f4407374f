import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { config } from "#server/config.ts";
import {
  adminIdentities,
  adminRoles,
  appPasswords,
  dmarcReports,
  dmarcSources,
  emailAttachments,
  forwardConfirmations,
  forwardSuspensions,
  groupUnits,
  identityProviders,
  mailboxIdentities,
  mailboxRules,
  mailboxShares,
  messageContents,
  messageRecipients,
  messages,
  notificationSettings,
  tlsReports,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { aFullCompany } from "#server/testing/a-full-company.ts";
import { aContext } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { EXPORTED, EXPORTED_MESSAGES } from "./exported-tables.ts";
import { type CompanySnapshot, takeSnapshot } from "./take-snapshot.ts";

// Local mode provides no DNS records.
config().localMode = false;

// A company with rows in every exported table, next to another one.

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());

/** Also with rows in the tables that no page shows. */
async function aCompleteCompany(mark: string) {
  const company = await aFullCompany(mark);
  const { companyId, mailbox, ids, owner } = company;
  const now = new Date().toISOString();
  const period = { periodStart: now, periodEnd: now, orgName: mark, reportId: mark };
  const report = { companyId, domainId: ids.domains, ...period };
  const id = randomUUID();
  await db().insert(adminRoles).values({ adminId: owner.id, roleId: ids.roles });
  const client = { issuer: `https://${mark}.test`, clientId: mark };
  const [provider] = await db()
    .insert(identityProviders)
    .values({ companyId, ...client, sealedClientSecret: `${mark} sealed secret` })
    .returning();
  await db()
    .insert(adminIdentities)
    .values({ providerId: provider!.id, subject: mark, adminId: owner.id });
  await db().insert(mailboxIdentities).values({ providerId: provider!.id, subject: mark, mailbox });
  await db()
    .insert(notificationSettings)
    .values({ email: owner.email, companyId, sealedUrl: `${mark} sealed` });
  await db()
    .insert(appPasswords)
    .values({ mailbox, name: mark, secretHash: `${mark} hashed` });
  await db()
    .insert(mailboxRules)
    .values({ mailbox, scriptId: `${mark} id`, script: "keep;" });
  await db()
    .insert(groupUnits)
    .values({ groupAddress: company.group, orgUnitId: Number(company.ids.units) });
  const share = { access: "read", sendAs: false } as const;
  await db()
    .insert(mailboxShares)
    .values({ mailbox, member: company.group, ...share });
  await db()
    .insert(forwardConfirmations)
    .values({ mailbox, target: "a@x.test", written: mark, isFromScript: false });
  await db()
    .insert(forwardSuspensions)
    .values({ mailbox, target: "a@x.test", dsn: "5.1.1", reply: mark, suspendedAt: now });
  const [dmarc] = await db().insert(dmarcReports).values(report).returning();
  const source = { sourceIp: "192.0.2.1", messages: 1, disposition: "none", headerFrom: mark };
  await db()
    .insert(dmarcSources)
    .values({ ...source, reportId: dmarc!.id, dkim: "pass", spf: "pass", envelopeFrom: mark });
  await db()
    .insert(tlsReports)
    .values({ ...report, successful: 1, failed: 0 });
  const message = { id, companyId, origin: "submission", sender: mark, size: 1 } as const;
  await db()
    .insert(messages)
    .values({ ...message, isSenderTold: true, recipientCount: 1 });
  await db()
    .insert(messageRecipients)
    .values({ messageId: id, companyId, recipient: `${mark}@x.test`, destination: "x.test" });
  await db()
    .insert(messageContents)
    .values({ messageId: id, content: Buffer.from(mark) });
  return company;
}

/** Everything but the private DKIM keys, as text by table. */
async function readAll(snapshot: CompanySnapshot): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of Object.keys(EXPORTED))
    found[table] = (await Array.fromAsync(snapshot.lines(table))).join("");
  for (const kind of Object.keys(EXPORTED_MESSAGES) as (keyof typeof EXPORTED_MESSAGES)[])
    found[`${kind}/`] = (await Array.fromAsync(snapshot.messages(kind)))
      .map(({ id, content }) => `${id}\n${content.toString()}`)
      .join("");
  found["dns/"] = JSON.stringify(await Array.fromAsync(snapshot.zones()));
  found["sieve/"] = JSON.stringify(await snapshot.sieveScripts());
  found["mail/"] = JSON.stringify(await snapshot.mailboxes());
  return found;
}

test("has everything of one company, no secrets, and nothing of another company", async () => {
  const acme = await aCompleteCompany("acme");
  const rival = await aCompleteCompany("rival");
  const attached = { emailId: acme.ids.emails, position: 0, content: Buffer.alloc(99, 7) };
  await db().insert(emailAttachments).values(attached);
  const found = await takeSnapshot(aContext(acme.companyId), {}, readAll);

  const [attachment] = found.email_attachments!.split("\n");
  const { content } = JSON.parse(attachment!) as { content: string };
  expect(Buffer.from(content, "base64")).toEqual(attached.content);
  expect(found.addresses).toContain(`"address":"${acme.inbound}"`);
  expect(found["received/"]).toBe(`${acme.ids.received}\nSubject: Hello\r\n\r\nHello\r\n`);
  expect(found["dns/"]).toContain("v=DKIM1");
  expect(JSON.parse(found["mail/"]!)).toContain(acme.mailbox);
  const empty = Object.keys(found).filter((table) => found[table] === "");
  expect(empty).toEqual([]);

  const all = Object.values(found).join("");
  // Not the numbers of units.
  const ids = Object.values(rival.ids).filter((id) => id.length > 8);
  const foreign = ["rival", rival.companyId, rival.mailbox, ...ids];
  expect(foreign.filter((value) => all.includes(value))).toEqual([]);
  const secrets = await secretsOf(acme.companyId);
  expect(secrets.length).toBeGreaterThan(8);
  const leaked = [...secrets, "PRIVATE KEY"].filter((value) => all.includes(value));
  expect(leaked).toEqual([]);
});

/** The values of all columns that aren't exported. */
async function secretsOf(companyId: string): Promise<string[]> {
  const values: string[] = [];
  for (const [table, { omit = [], parent }] of Object.entries(EXPORTED))
    for (const column of omit) {
      const rows = await db().execute<{ value: string | null }>(sql`
        select t.${sql.identifier(column)}::text as value from ${sql.identifier(table)} t
        ${parent ? sql`join ${sql.identifier(parent[0])} p on ${sql.raw(parent[1])}` : sql``}
        where ${parent ? sql`p` : sql`t`}.company_id = ${companyId}`);
      values.push(...rows.flatMap(({ value }) => value ?? []));
    }
  return values;
}
