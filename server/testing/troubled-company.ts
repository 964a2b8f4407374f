import { sql } from "drizzle-orm";

import {
  companies,
  domainFindings,
  domains,
  emails,
  mailboxes,
  mailboxUsage,
  outbox,
  quarantine,
  sendingTotals,
  webhooks,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { aDomain, aMailbox, aWebhook } from "./factories.ts";
import { queuedEmails } from "./queued-emails.ts";

const MB = 1024 * 1024;
const now = () => new Date().toISOString();

/** Causes every problem that the overview reports. */
export async function causeProblems(companyId: string, tail = companyId.slice(-4)): Promise<void> {
  const domain = await aDomain(companyId, { name: `shop-${tail}.northwind.example` });
  await aDomain(companyId, { name: `news-${tail}.northwind.example`, status: "pending" });
  await db()
    .insert(domainFindings)
    .values({ domainId: domain.id, record: "dmarc", isVerified: false, checkedAt: now() });
  await aWebhook(companyId, {
    endpoint: "https://crm.northwind.example/hooks",
    status: "disabled",
    disabledForFailuresAt: now(),
  });
  await aWebhook(companyId, {
    endpoint: "https://billing.northwind.example/in",
    failures: 12,
    failingSince: now(),
  });
  for (const [name, used] of [
    ["ann.lee", 97],
    ["carla.reyes", 100],
  ] as const) {
    const address = `${name}@${domain.name}`;
    await aMailbox(domain, { address, quotaMb: 100, ...(used === 97 && { sendingHeldAt: now() }) });
    await db()
      .insert(mailboxUsage)
      .values({ address, usedBytes: used * MB });
  }
  const row = { companyId, sender: "", recipients: [`ann.lee@${domain.name}`], size: 1 };
  const held = Array.from({ length: 7 }, () => ({ ...row, reason: "spam" as const }));
  await db().insert(quarantine).values(held);
  await queuedEmails(domain, [["ben@slow.example"], ["eve@slow.example"], ["gus@slow.example"]]);
  await db()
    .update(outbox)
    .set({ createdAt: sql`clock_timestamp() - interval '3 hours'` })
    .where(sql`recipient = 'ben@slow.example'`);
  await db()
    .update(companies)
    .set({ monthlyAllowance: 50_000 })
    .where(sql`id = ${companyId}`);
  const month = `${now().slice(0, 7)}-01`;
  await db().insert(sendingTotals).values({ scope: companyId, month, monthRecipients: 46_310 });
}

/** Resolves all of them. */
export async function resolveProblems(companyId: string): Promise<void> {
  const own = sql`company_id = ${companyId}`;
  await db().update(domains).set({ status: "verified" }).where(own);
  await db()
    .delete(domainFindings)
    .where(sql`domain_id in (select id from domains where ${own})`);
  await db().delete(webhooks).where(own);
  await db().delete(mailboxes).where(own);
  await db()
    .delete(outbox)
    .where(sql`email_id in (select id from emails where ${own})`);
  await db()
    .delete(emails)
    .where(sql`${own} and event_types = 0`);
  await db()
    .update(companies)
    .set({ monthlyAllowance: null })
    .where(sql`id = ${companyId}`);
}
