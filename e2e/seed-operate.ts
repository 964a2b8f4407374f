import {
  alarms,
  emailEvents,
  mailLog,
  messageDelays,
  messageRecipients,
  messages,
  plans,
} from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

/** An operator, signed in to a company of their own. */
export async function anOperator() {
  const company = await aCompany({ name: "Harbour Hosting" });
  const email = `olga+${company.id.slice(-5)}@harbour.example`;
  const admin = await anAdmin(company.id, { isOwner: true, isOperator: true, name: "Olga", email });
  return { email, companyId: company.id, cookie: await startSession(db(), admin.id) };
}

/** Companies in every state, on plans and with custom limits. */
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

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const GMAIL_FULL =
  "452-4.2.2 The recipient's inbox is out of storage space. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp d2e1a72fcca58-77e sm1";
const UNKNOWN = "550 5.1.1 <kim@warehouse.example>: Recipient address rejected: User unknown";

/** Received, rejected and outgoing mail of a company, both API emails and mailbox messages. */
export async function aMailLog(companyId: string) {
  const domain = await aDomain(companyId, { name: `nw${companyId.slice(-5)}.example` });
  const ann = `ann.lee@${domain.name}`;
  const sender = { id: domain.id, name: domain.name, companyId };
  const to = ["ben.okafor@example.net", "kim@warehouse.example", "x@suppressed.example"];
  const [emailId] = await queuedEmails(sender, [to]);
  const emailFields = { emailId: emailId!, companyId };
  await db()
    .insert(emailEvents)
    .values([
      { ...emailFields, type: "suppressed", recipient: to[2], reason: "It bounced before" },
      {
        ...emailFields,
        type: "delivery_delayed",
        recipient: to[0],
        dsn: "4.2.2",
        message: GMAIL_FULL,
      },
      { ...emailFields, type: "bounced", recipient: to[1], dsn: "5.1.1", message: UNKNOWN },
      {
        ...emailFields,
        type: "delivered",
        recipient: to[0],
        dsn: "2.0.0",
        message: "250 2.0.0 OK 1772622671 gsmtp",
      },
    ]);
  const messageId = `01900000-0000-7000-8000-${companyId.slice(-12)}`;
  const messageFields = { id: messageId, companyId, origin: "submission" as const, sender: ann };
  await db()
    .insert(messages)
    .values({ ...messageFields, isSenderTold: true, size: 2_048, recipientCount: 2 });
  const recipient = "orders@far-away.example";
  await db().insert(messageDelays).values({
    messageId,
    companyId,
    recipient,
    dsn: "4.7.1",
    reply: "451 4.7.1 Greylisted, try again later",
  });
  await db()
    .insert(messageRecipients)
    .values([
      { messageId, companyId, recipient, destination: "far-away.example", attempt: 1 },
      {
        messageId,
        companyId,
        recipient: "cay@example.org",
        destination: "example.org",
        state: "delivered",
        reply: "250 OK",
        dsn: "2.0.0",
        settledAt: minutesAgo(3),
      },
    ]);
  const client = { clientAddress: "192.0.2.25", helo: "mail.warehouse.example", companyId };
  await db()
    .insert(mailLog)
    .values([
      {
        ...client,
        kind: "received",
        sender: "kim@warehouse.example",
        recipient: ann,
        size: 48_211,
        messageId: "<4711@warehouse.example>",
        reply: "250 2.0.0 Accepted",
        createdAt: minutesAgo(40),
      },
      {
        ...client,
        kind: "refused",
        sender: "kim@warehouse.example",
        companyId: null,
        recipient: `nobody@${domain.name}`,
        reply: "550 5.1.1 No such recipient here",
        createdAt: minutesAgo(31),
      },
      {
        kind: "sign_in_failed",
        clientAddress: "2001:db8:7::21",
        helo: "[127.0.0.1]",
        sender: ann,
        reply: "535 5.7.8 The address or password is incorrect",
        createdAt: minutesAgo(12),
      },
      {
        kind: "submitted",
        clientAddress: "198.51.100.7",
        helo: "laptop",
        companyId,
        sender: ann,
        recipient,
        size: 2_048,
        messageId: `<1.laptop@${domain.name}>`,
        reply: `250 2.0.0 Queued as message ${messageId}`,
        createdAt: minutesAgo(4),
      },
    ]);
  return { ann, emailId: emailId!, messageId, recipient };
}

export async function aRaisedAlarm(): Promise<void> {
  await db()
    .insert(alarms)
    .values({
      name: "deferred:slow.example",
      severity: "warning",
      found: "slow.example defers 40 of 50 queued recipients (80%)",
      advice: "See the latest replies in the console under Queue",
    })
    .onConflictDoNothing();
}
