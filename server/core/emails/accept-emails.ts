import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { type Domain, emailBodies, emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import type { Context } from "#server/core/context.ts";
import { findSuppressed, type Suppressed } from "#server/core/suppressions/find-suppressed.ts";

import { eventBits } from "./event-bits.ts";
import type { EmailInput } from "./email-input.ts";

type Accepted = { input: EmailInput; domain: Pick<Domain, "id" | "name"> };

/**
 * Writes emails with their bodies, histories and outbox rows, a constant number of statements
 * whatever their number. The caller's transaction is the hand-over: its commit is the promise.
 *
 * Recipients on the suppression list are left out, each with an event; an email that has none left
 * ends as suppressed.
 */
export async function acceptEmails(
  ctx: Context,
  apiKeyId: string,
  accepted: Accepted[],
): Promise<string[]> {
  const suppressed = await findSuppressed(
    ctx,
    accepted.flatMap(({ input }) => recipientsOf(input)),
  );
  const rows = accepted.map((email) => rowsOf(ctx, apiKeyId, email, suppressed));

  const waiting = rows.flatMap(({ queue }) => queue);
  // One connection runs them in this order; nobody waits for the answer before sending the next.
  await Promise.all([
    ctx.db.insert(emails).values(rows.map(({ email }) => email)),
    ctx.db.insert(emailBodies).values(rows.map(({ body }) => body)),
    ctx.db.insert(emailEvents).values(rows.flatMap(({ events }) => events)),
    ...(waiting.length > 0 ? [ctx.db.insert(outbox).values(waiting)] : []),
  ]);
  return rows.map(({ email }) => email.id);
}

/** Each address once, whichever fields name it: one copy is enough. */
function recipientsOf({ to, cc, bcc }: Pick<EmailInput, "to" | "cc" | "bcc">): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

function rowsOf(
  ctx: Context,
  apiKeyId: string,
  { input, domain }: Accepted,
  suppressed: Map<string, Suppressed>,
) {
  const id = uuidv7();
  const recipients = recipientsOf(input);
  const skipped = recipients.filter((address) => suppressed.has(address));
  const remaining = recipients.filter((address) => !suppressed.has(address));
  const isSent = remaining.length > 0;
  const event = { emailId: id, companyId: ctx.companyId };
  return {
    email: {
      id,
      companyId: ctx.companyId,
      domainId: domain.id,
      apiKeyId,
      messageId: isSent ? `<${id}@${domain.name}>` : null,
      from: input.from,
      subject: input.subject,
      to: input.to.map(({ address }) => address),
      cc: input.cc.map(({ address }) => address),
      bcc: input.bcc.map(({ address }) => address),
      replyTo: input.replyTo.map(({ address }) => address),
      tags: input.tags,
      eventTypes: eventBits([
        ...(skipped.length > 0 ? ["suppressed" as const] : []),
        ...(isSent ? ["sent" as const] : []),
      ]),
      lastEvent: isSent ? ("sent" as const) : ("suppressed" as const),
      sentAt: isSent ? sql`clock_timestamp()` : null,
    },
    body: {
      emailId: id,
      addressHeaders: {
        from: input.fromAddress,
        to: input.to,
        cc: input.cc,
        replyTo: input.replyTo,
      },
      html: input.html,
      text: input.text,
      headers: input.headers,
    },
    // The newest entry decides the email's state, so `sent` comes last.
    events: [
      ...skipped.map((recipient) => ({
        ...event,
        type: "suppressed" as const,
        recipient,
        reason: suppressed.get(recipient)!.reason,
      })),
      ...(isSent ? [{ ...event, type: "sent" as const }] : []),
    ],
    queue: remaining.map((recipient) => ({
      emailId: id,
      recipient,
      destination: domainOf(recipient),
    })),
  };
}
