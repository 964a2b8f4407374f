import { eq, type SQL, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { emailBodies, emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, aDomain } from "./factories.ts";

export type Sender = { id: string; name: string; companyId: string };

/** A verified domain with a DKIM key, in its own company. */
export async function aSender(): Promise<Sender> {
  return aDomain((await aCompany()).id);
}

type Queued = {
  html?: string;
  due?: SQL;
  /** An attachment of each email. */
  file?: Buffer | null;
  size?: number;
  tracking?: boolean;
};

/**
 * Creates queued emails: accepted, `sent`, one outbox row for each recipient.
 *
 * @param to the recipients of each email
 * @returns the ids, in the order of `to`
 */
export async function queuedEmails(
  sender: Sender,
  to: string[][],
  {
    html = "<p>Hello</p>",
    due = sql`clock_timestamp()`,
    file = null,
    size = html.length + (file?.length ?? 0),
    tracking = false,
  }: Queued = {},
): Promise<string[]> {
  const made = to.map((recipients) => ({ id: uuidv7(), recipients }));
  await db().transaction(async (tx) => {
    await tx.insert(emails).values(
      made.map(({ id, recipients }) => ({
        id,
        companyId: sender.companyId,
        domainId: sender.id,
        messageId: `<${id}@${sender.name}>`,
        from: `Post House <post@${sender.name}>`,
        subject: `Greetings ${id}`,
        to: recipients,
        lastEvent: "sent" as const,
        sentAt: sql`clock_timestamp()`,
        // Not as parameters, since a statement is limited to 65,535 of them.
        openTracking: tracking ? sql`true` : sql`false`,
        clickTracking: tracking ? sql`true` : sql`false`,
        size: sql.raw(String(size)),
      })),
    );
    await tx.insert(emailBodies).values(
      made.map(({ id, recipients }) => ({
        emailId: id,
        addressHeaders: {
          from: { name: "Post House", address: `post@${sender.name}` },
          to: recipients.map((address) => ({ name: "", address })),
          cc: [],
          replyTo: [],
        },
        html,
        text: "Hello",
      })),
    );
    if (file)
      await tx.execute(sql`
        insert into email_attachments (email_id, position, filename, content)
        select id, 0, 'order.bin', file.content
        from unnest(${sql.param(made.map(({ id }) => id))}::uuid[]) as id,
          (select decode(${file.toString("base64")}, 'base64') as content) as file`);
    await tx.insert(emailEvents).values(
      made.map(({ id }) => ({
        emailId: id,
        companyId: sender.companyId,
        type: "sent" as const,
      })),
    );
    await tx.insert(outbox).values(
      made.flatMap(({ id, recipients }) =>
        recipients.map((recipient) => ({
          emailId: id,
          companyId: sender.companyId,
          recipient,
          destination: recipient.split("@")[1]!,
          nextAttemptAt: due,
        })),
      ),
    );
  });
  return made.map(({ id }) => id);
}

export async function aQueuedEmail(sender: Sender, ...to: string[]): Promise<string> {
  const [id] = await queuedEmails(sender, [to]);
  return id!;
}

/** The history of an email, oldest first, as `delivered ann@example.org`. */
export async function historyOf(emailId: string): Promise<string[]> {
  const events = await db()
    .select({ type: emailEvents.type, recipient: emailEvents.recipient })
    .from(emailEvents)
    .where(eq(emailEvents.emailId, emailId))
    .orderBy(emailEvents.id);
  return events.map(({ type, recipient }) => (recipient ? `${type} ${recipient}` : type));
}
