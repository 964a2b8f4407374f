import { z } from "zod";

import { type Receipt, listReceipts } from "#server/core/sending/receipts/receipts.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

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

const receiptObject = ({ id, claims, signature }: Receipt): z.input<typeof ReceiptObject> => ({
  object: "receipt",
  id: id.toString(),
  ...claims,
  signature,
});

const EMAIL = "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11";

export const receiptExamples: Record<string, Example> = {
  "GET /emails/{id}/receipts": {
    params: { id: EMAIL },
    answer: {
      object: "list",
      has_more: false,
      data: [
        {
          object: "receipt",
          id: "51709",
          issuer: "https://mail.example.com",
          email_id: EMAIL,
          message_id: `<${EMAIL}@shop.example>`,
          from: "Northwind <hello@shop.example>",
          message_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          recipient: "ben@example.net",
          sent_at: "2026-03-02T09:30:00.412Z",
          delivered_at: "2026-03-02T09:30:01.007Z",
          server: { name: "mx.example.net", address: "203.0.113.5" },
          tls: { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" },
          status: "2.0.0",
          reply: "250 2.0.0 Ok: queued as 4ZxQ1k",
          signature: "eyJhbGci…",
        },
      ],
    },
    sdk: ["get", `/emails/${EMAIL}/receipts`],
  },
};

export const receiptsApi = {
  list: defineEndpoint("GET", "/emails/{id}/receipts", {
    summary: "List an email's delivery receipts",
    description:
      "One signed receipt for each recipient that the email was delivered to, oldest first. " +
      "`posthouse receipt verify FILE` verifies a saved response.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: pathOf("Email not found", { id: z.uuid().describe("The email's ID") }),
    query: PageQuery,
    response: listResponse(ReceiptObject),
    handle: async ({ ctx, params, query }) =>
      listObject(await listReceipts(ctx, params.id, query), receiptObject),
  }),
};
