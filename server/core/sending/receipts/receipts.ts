import { type EmailEvent, emails } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { isEmail, listEmailEvents } from "#server/core/sending/emails/emails.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Page, PageRequest } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  readSigned,
  type Signed,
  signJws,
  type VerifiedJws,
  verifyJws,
} from "#server/core/shared/signatures/jws.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

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

/** The media type that marks a receipt's signature (RFC 7515, 4.1.9). */
const RECEIPT_TYPE = "posthouse-receipt";

/** What a receipt attests about the delivery of an email to a recipient. */
export type ReceiptClaims = {
  /** URL of the appliance that signed it. */
  issuer: string;
  email_id: string;
  /** The message's Message-ID. */
  message_id: string | null;
  /** Hash of the message as sent, with its DKIM signature; null for deliveries before this was recorded. */
  message_sha256: string | null;
  from: string;
  recipient: string;
  sent_at: string | null;
  delivered_at: string;
  /** The server that accepted the message; null for a mailbox of the appliance. */
  server: { name: string; address: string } | null;
  /** Null if the connection wasn't encrypted, or the mailbox is here. */
  tls: { version: string; cipher: string } | null;
  /** The server's reply, and its enhanced status code (RFC 3463). */
  status: string | null;
  reply: string | null;
};

/** Signs claims as a compact JWS. Deterministic. */
export const signReceipt = (claims: ReceiptClaims): string => signJws(RECEIPT_TYPE, claims);

/** `problem` is null for a valid receipt. */
export type VerifiedReceipt = { claims: Partial<ReceiptClaims>; problem: string | null };

/**
 * Verifies receipts offline, without the database.
 *
 * @param text a receipt, a list of them or a response from `GET /emails/{id}/receipts` as JSON, or the signature alone
 * @throws Refusal `invalid` for a file without receipts
 */
export const verifyReceipts = (text: string, keys: SigningJwks): VerifiedReceipt[] =>
  readSigned(text, "receipts").map((receipt) => verifyOne(receipt, keys));

function verifyOne({ signature, ...shown }: Signed, keys: SigningJwks): VerifiedJws {
  const verified = verifyJws(signature, { type: RECEIPT_TYPE, what: "a receipt", keys });
  const { claims, problem } = verified;
  if (problem !== null) return verified;
  const changed = Object.keys(claims).find(
    (name) => name in shown && JSON.stringify(shown[name]) !== JSON.stringify(claims[name]),
  );
  return { claims, problem: changed ? `${changed} differs from what was signed` : null };
}
