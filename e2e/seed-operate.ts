import { plans } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

/** Somebody who runs the instance, signed in to a company of their own. */
export async function anOperatorOfTest() {
  const company = await aCompany({ name: "Harbour Hosting" });
  const email = `olga+${company.id.slice(-5)}@harbour.example`;
  const admin = await anAdmin(company.id, { isOwner: true, isOperator: true, name: "Olga", email });
  return { email, companyId: company.id, cookie: await startSession(db(), admin.id) };
}

/** Companies in every state, on plans and with figures of their own. */
export async function companiesInEveryState() {
  const tail = Math.random().toString(36).slice(2, 7);
  const [small] = await db()
    .insert(plans)
    .values({ name: `Small ${tail}`, monthlyAllowance: 10_000, domainsMax: 2, mailboxesMax: 10 })
    .returning();
  await db()
    .insert(plans)
    .values({ name: `Large ${tail}`, quotaMbMax: 20_480 });
  const onSmall = { planId: small!.id, monthlyAllowance: 10_000, domainsMax: 2, mailboxesMax: 10 };
  const northwind = await aCompany({ name: `Northwind Trading ${tail}`, ...onSmall });
  await aDomain(northwind.id, { name: `northwind-${tail}.example` });
  await anAdmin(northwind.id, { isOwner: true, name: "Ann Lee" });
  const overdue = { number: "2026-0117", paymentUrl: "https://billing.example/2026-0117" };
  await aCompany({ name: `Contoso ${tail}`, overdueInvoice: overdue, ...onSmall });
  await aCompany({ name: `Fabrikam ${tail}`, serviceEnabled: false });
  await aCompany({ name: `Tailspin ${tail}`, subscriptionActive: false });
  const suspended = await aCompany({
    name: `Wingtip ${tail}`,
    suspendedAt: new Date().toISOString(),
  });
  return { northwind, suspended, plan: small! };
}
