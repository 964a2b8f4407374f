import { type EmailEvent, emails } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { isEmail } from "#server/core/sending/emails/get-email.ts";
import { listEmailEvents } from "#server/core/sending/emails/list-email-events.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Page, PageRequest } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type ReceiptClaims, signReceipt } from "./sign-receipt.ts";

/** `id` is the delivery's event; `signature` a compact JWS of the claims. */
export type Receipt = { id: bigint; claims: ReceiptClaims; signature: string };

type SentEmail = Pick<typeof emails.$inferSelect, "messageId" | "from" | "sentAt" | "isTest">;

/**
 * Returns a page of receipts, one for each recipient that an email was delivered to, oldest first. A test email has
 * none: it was never delivered.
 *
 * @throws Refusal `not_found`, or `invalid` for a cursor that isn't a delivery of this email
 */
export async function listReceipts(
  ctx: Context,
  emailId: string,
  page: PageRequest,
): Promise<Page<Receipt>> {
  const email = await findSent(ctx, emailId);
  if (email.isTest) return { rows: [], hasMore: false };
  const { rows, hasMore } = await listEmailEvents(ctx, emailId, page, "delivered");
  return { rows: rows.map((event) => toReceipt(email, event)), hasMore };
}

async function findSent(ctx: Context, id: string): Promise<SentEmail> {
  const { messageId, from, sentAt, isTest } = emails;
  const [email] = await ctx.db
    .select({ messageId, from, sentAt, isTest })
    .from(emails)
    .where(isEmail(ctx, id));
  if (!email) throw new Refusal("not_found", "Email not found");
  return email;
}

function toReceipt({ messageId, from, sentAt }: SentEmail, event: EmailEvent): Receipt {
  const { server, serverAddress } = event;
  const claims: ReceiptClaims = {
    issuer: config().baseUrl,
    email_id: event.emailId,
    message_id: messageId,
    message_sha256: event.messageHash?.toString("hex") ?? null,
    from,
    recipient: event.recipient ?? "",
    sent_at: sentAt === null ? null : isoTime(sentAt),
    delivered_at: isoTime(event.createdAt),
    server:
      server === null || serverAddress === null ? null : { name: server, address: serverAddress },
    tls: readTls(event.tls),
    status: event.dsn,
    reply: event.message,
  };
  return { id: event.id, claims, signature: signReceipt(claims) };
}

/** Milliseconds (RFC 3339): receipts are read by other programs. */
const isoTime = (time: string): string => new Date(time).toISOString();

/** Reads what `formatTls` wrote. */
function readTls(stored: string | null): ReceiptClaims["tls"] {
  const [, , version, cipher] = stored?.split(" ") ?? [];
  return version && cipher ? { version, cipher } : null;
}
