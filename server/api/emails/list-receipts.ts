import { z } from "zod";

import { listReceipts as list, type Receipt } from "#server/core/sending/receipts/list-receipts.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

const ReceiptObject = z
  .object({
    object: z.literal("receipt").describe("Object type"),
    id: z.string().describe("Numeric string; also the pagination cursor"),
    issuer: z.string().describe("URL of the server that signed the receipt"),
    email_id: z.string().describe("The email's ID"),
    message_id: z.string().nullable().describe("The Message-ID header field"),
    message_sha256: z
      .string()
      .nullable()
      .describe(
        "SHA-256 of the message as sent, in hexadecimal; null for deliveries before it was recorded",
      ),
    from: z.string().describe("The sender, as in the message"),
    recipient: z.string().describe("The recipient that the receiving server accepted it for"),
    sent_at: z.string().nullable().describe("When the email was queued, in UTC (RFC 3339)"),
    delivered_at: z.string().describe("When the receiving server accepted it, in UTC (RFC 3339)"),
    server: z
      .object({
        name: z.string().describe("Hostname of the receiving server"),
        address: z.string().describe("Its IP address"),
      })
      .nullable()
      .describe("The receiving server; null for a mailbox of this server"),
    tls: z
      .object({
        version: z.string().describe("TLS version, such as `TLSv1.3`"),
        cipher: z.string().describe("Cipher suite"),
      })
      .nullable()
      .describe("How the connection was encrypted; null if it wasn't"),
    status: z.string().nullable().describe("Delivery status code, such as `2.0.0`"),
    reply: z.string().nullable().describe("The receiving server's reply"),
    signature: z
      .string()
      .describe(
        "All fields from `issuer` to `reply`, signed with Ed25519 as a compact JWS (RFC 7515). " +
          "The public key is at `/.well-known/posthouse-receipts.json`",
      ),
  })
  .meta({ id: "Receipt" });

export const listReceipts = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/receipts",
  summary: "List an email's delivery receipts",
  description:
    "One signed receipt for each recipient that the email was delivered to, oldest first. " +
    "`posthouse receipt verify FILE` verifies a saved response.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("The email's ID") }),
  notFound: "Email not found",
  query: PageQuery,
  response: listOf(ReceiptObject),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, query), receiptObject),
});

const receiptObject = ({ id, claims, signature }: Receipt): z.input<typeof ReceiptObject> => ({
  ...{ object: "receipt", id: id.toString() },
  ...claims,
  signature,
});
