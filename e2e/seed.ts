import { emailBodies, emailEvents, emails } from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";

type Event = Omit<typeof emailEvents.$inferInsert, "emailId" | "companyId">;
type State = (typeof emails.$inferInsert)["lastEvent"];

/** Adds events to an email's history, as the worker would. */
export async function addEvents(companyId: string, emailId: string, events: Event[]) {
  await db()
    .insert(emailEvents)
    .values(events.map((event) => ({ ...event, companyId, emailId })));
}

const PEOPLE = ["ben.okafor", "carla.reyes", "dmitri", "eve.lindqvist-bergstroem", "farah", "gus"];
const SUBJECTS = [
  "Your receipt for order 48213",
  "Reset your password",
  "Invoice 2026-0412 is due on Friday: please check the payment details we have on file for you",
  "Welcome to Northwind",
  "Your parcel is on its way",
  "Weekly report",
];
const STATES: State[] = [
  ...(["delivered", "opened", "sent", "delivered", "bounced", "delivery_delayed"] as const),
  ...(["delivered", "clicked", "scheduled", "failed", "suppressed", "queued", "canceled"] as const),
];

/** Emails with every status, from minutes to days old. */
export async function seedEmails(
  { companyId, domain, apiKeyId }: { companyId: string; domain: string; apiKeyId?: string },
  count: number,
) {
  const now = Date.now();
  const inTwoHours = new Date(now + 7_290_000).toISOString();
  const rows = Array.from({ length: count }, (_, index) => {
    const age = (index * index * 90 + 20) * 1000;
    const id = `01900000-0000-7000-8000-${companyId.slice(-6)}${String(index).padStart(6, "0")}`;
    return {
      id,
      companyId,
      apiKeyId: apiKeyId ?? null,
      from: `Northwind <hello@${domain}>`,
      to: [`${PEOPLE[index % PEOPLE.length]!}@${index % 4 ? "example.net" : "mail.example.org"}`],
      cc: index % 5 === 3 ? ["orders@example.com", "audit@example.com"] : [],
      subject: SUBJECTS[(index * 7) % SUBJECTS.length]!,
      messageId: `<${id}@${domain}>`,
      lastEvent: STATES[index % STATES.length]!,
      // Bounced for one of several recipients.
      eventTypes: index % 13 === 3 ? eventBits(["sent", "bounced", "delivered"]) : 0,
      createdAt: new Date(now - age).toISOString(),
      scheduledAt: STATES[index % STATES.length] === "scheduled" ? inTwoHours : null,
    };
  });
  await db().insert(emails).values(rows);
  return rows;
}

const HTML = `<div style="max-width:560px;margin:24px auto;font-family:sans-serif;color:#222">
  <h1 style="font-size:22px">Thank you for your order</h1>
  <p>Hello Ben, we have received your order and will send it today.</p>
  <table style="width:100%;border-top:1px solid #ddd"><tr><td>Order 48213</td><td align="right">49.00</td></tr></table>
  <p><a href="https://northwind.example/orders/48213" style="background:#123a5c;color:#fff;padding:10px 16px;text-decoration:none">See your order</a></p>
  <img src="https://northwind.example/logo.png" alt="Northwind" width="120" height="40">
</div>`;

/** Creates an email with three recipients and a different outcome for each; returns its ID. */
export async function seedEmailWithHistory({
  companyId,
  domain,
}: {
  companyId: string;
  domain: string;
}) {
  const id = `01900000-0000-7000-9000-${companyId.slice(-12)}`;
  const to = ["ben.okafor@example.net", "carla@example.org"];
  const cc = ["orders@warehouse.example"];
  const named = (address: string) => ({ name: "", address });
  await db()
    .insert(emails)
    .values({
      id,
      companyId,
      from: `Northwind <hello@${domain}>`,
      to,
      cc,
      subject: "Your receipt for order 48213",
      messageId: `<${id}@${domain}>`,
      lastEvent: "bounced",
      tags: [
        { name: "kind", value: "receipt" },
        { name: "order", value: "48213" },
      ],
    });
  await db()
    .insert(emailBodies)
    .values({
      emailId: id,
      html: HTML,
      text: null,
      headers: { "X-Order": "48213" },
      addressHeaders: {
        from: { name: "Northwind", address: `hello@${domain}` },
        to: [{ name: "Ben Okafor", address: to[0]! }, named(to[1]!)],
        cc: cc.map(named),
        replyTo: [],
      },
    });
  await addEvents(companyId, id, [
    { type: "sent" },
    {
      type: "delivered",
      recipient: to[0]!,
      dsn: "2.0.0",
      message: "250 2.0.0 OK 1772622671 af79cd13be357-8cd2c0a5f4esi1029385a.482 - gsmtp",
      tls: "mta-sts valid TLSv1.3 TLS_AES_256_GCM_SHA384",
    },
    {
      type: "delivery_delayed",
      recipient: to[1]!,
      dsn: "4.2.2",
      message: "452 4.2.2 The recipient's inbox is out of storage space",
      tls: "opportunistic starttls-not-supported",
    },
    { type: "opened", recipient: to[0]! },
    { type: "clicked", recipient: to[0]!, link: "https://northwind.example/orders/48213" },
    {
      type: "bounced",
      recipient: cc[0]!,
      dsn: "5.1.1",
      message: "550 5.1.1 <orders@warehouse.example>: Recipient address rejected: User unknown",
    },
  ]);
  return id;
}
