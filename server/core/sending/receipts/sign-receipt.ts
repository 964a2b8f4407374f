import { signJws } from "#server/core/shared/signatures/jws.ts";

/** The media type that marks a receipt's signature (RFC 7515, 4.1.9). */
export const RECEIPT_TYPE = "posthouse-receipt";

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
