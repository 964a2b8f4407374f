import type { Example } from "#server/http/code-samples.ts";

import { apiKeyExamples } from "./api-keys.ts";
import { domainExamples } from "./domains/api.ts";
import { metricsExample } from "./emails/metrics.ts";
import { attachmentExamples } from "./emails/attachments.ts";
import { checkExamples } from "./emails/check.ts";
import { receiptExamples } from "./emails/receipts.ts";
import { groupExamples } from "./groups.ts";
import { inboundAddressExamples } from "./inbound-addresses.ts";
import { logExamples } from "./logs.ts";
import { aliasExamples } from "./mailboxes/aliases.ts";
import { mailboxExamples } from "./mailboxes/api.ts";
import { receivedExamples } from "./received/api.ts";
import { templateExamples } from "./templates/objects.ts";
import { webhookExamples } from "./webhooks/objects.ts";

const EMAIL = "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11";
const SCHEDULED = "0198c0de-5b2c-7d4f-8a63-7e2f1c8b3d22";
const DOMAIN = "0198c0de-7d4e-7f61-8c85-90413ead5f44";
const LOG = "0198c0de-8e5f-7072-9d96-a1524fbe6055";
const SUPPRESSION = "0198c0de-9f60-7183-8ea7-b26350cf7166";

const ACCEPTED_AT = "2026-03-02 09:30:00.412345+00";

const email = {
  object: "email",
  id: EMAIL,
  message_id: `<${EMAIL}@shop.example>`,
  to: ["ben@example.net"],
  from: "Northwind <hello@shop.example>",
  created_at: ACCEPTED_AT,
  subject: "Your order 1042",
  last_event: "delivered",
  scheduled_at: null,
};

const order = {
  from: "Northwind <hello@shop.example>",
  to: "ben@example.net",
  subject: "Your order 1042",
  html: "<p>Your order has shipped.</p>",
};

const suppression = {
  object: "suppression",
  id: SUPPRESSION,
  email: "gone@example.net",
  origin: "bounce",
  source_id: EMAIL,
  created_at: ACCEPTED_AT,
};

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

/** A sample request and response for each endpoint, by method and path. Ids are consistent across samples. */
export const examples: Record<string, Example> = {
  "POST /emails": {
    headers: { "Idempotency-Key": "order-1042" },
    body: { ...order, tags: [{ name: "kind", value: "receipt" }] },
    answer: { id: EMAIL },
    sdk: [
      "emails.send",
      { ...order, tags: [{ name: "kind", value: "receipt" }] },
      { idempotencyKey: "order-1042" },
    ],
  },
  "POST /emails/batch": {
    headers: { "Idempotency-Key": "orders-2026-03-02" },
    body: [order, { ...order, to: "eve@example.net", scheduled_at: "in 2 hours" }],
    answer: { data: [{ id: EMAIL }, { id: SCHEDULED }] },
    sdk: [
      "batch.send",
      [order, { ...order, to: "eve@example.net", scheduledAt: "in 2 hours" }],
      { idempotencyKey: "orders-2026-03-02" },
    ],
  },
  "GET /emails": {
    query: { limit: "20" },
    answer: list({ ...email, cc: null, bcc: null, reply_to: null }),
    sdk: ["emails.list", { limit: 20 }],
  },
  ...metricsExample(DOMAIN),
  "GET /emails/{id}": {
    params: { id: EMAIL },
    answer: {
      ...email,
      cc: [],
      bcc: [],
      reply_to: [],
      html: "<p>Your order has shipped.</p>",
      text: null,
      tags: [{ name: "kind", value: "receipt" }],
    },
    sdk: ["emails.get", EMAIL],
  },
  "PATCH /emails/{id}": {
    params: { id: SCHEDULED },
    body: { scheduled_at: "in 3 hours" },
    answer: { object: "email", id: SCHEDULED },
    sdk: ["emails.update", { id: SCHEDULED, scheduledAt: "in 3 hours" }],
  },
  "POST /emails/{id}/cancel": {
    params: { id: SCHEDULED },
    answer: { object: "email", id: SCHEDULED },
    sdk: ["emails.cancel", SCHEDULED],
  },
  "GET /emails/{id}/events": {
    params: { id: EMAIL },
    answer: list(
      {
        object: "email_event",
        id: "51702",
        type: "email.sent",
        created_at: ACCEPTED_AT,
        recipient: null,
      },
      {
        object: "email_event",
        id: "51709",
        type: "email.delivered",
        created_at: "2026-03-02 09:30:01.007654+00",
        recipient: "ben@example.net",
        dsn: "2.0.0",
        message: "250 2.0.0 Ok: queued as 4ZxQ1k",
      },
    ),
    sdk: ["get", `/emails/${EMAIL}/events`],
  },
  "GET /suppressions": {
    query: { origin: "bounce" },
    answer: list(suppression),
    sdk: ["suppressions.list", { origin: "bounce" }],
  },
  "POST /suppressions": {
    body: { email: "gone@example.net" },
    answer: { object: "suppression", id: SUPPRESSION },
    sdk: ["suppressions.add", { email: "gone@example.net" }],
  },
  "GET /suppressions/{id}": {
    params: { id: "gone@example.net" },
    answer: suppression,
    sdk: ["suppressions.get", "gone@example.net"],
  },
  "DELETE /suppressions/{id}": {
    params: { id: "gone@example.net" },
    answer: { object: "suppression", id: SUPPRESSION, deleted: true },
    sdk: ["suppressions.remove", "gone@example.net"],
  },
  "POST /suppressions/batch/add": {
    body: { emails: ["gone@example.net", "left@example.net"] },
    answer: {
      data: [
        { object: "suppression", id: SUPPRESSION },
        { object: "suppression", id: LOG },
      ],
    },
    sdk: ["suppressions.batch.add", { emails: ["gone@example.net", "left@example.net"] }],
  },
  "POST /suppressions/batch/remove": {
    body: { emails: ["gone@example.net"] },
    answer: { data: [{ object: "suppression", id: SUPPRESSION, deleted: true }] },
    sdk: ["suppressions.batch.remove", { emails: ["gone@example.net"] }],
  },
  ...apiKeyExamples(DOMAIN),
  ...logExamples,
  ...attachmentExamples(EMAIL),
  ...checkExamples,
  ...receiptExamples,
  ...domainExamples,
  ...groupExamples,
  ...inboundAddressExamples,
  ...mailboxExamples,
  ...aliasExamples,
  ...receivedExamples,
  ...templateExamples,
  ...webhookExamples,
  "GET /": {
    answer: {
      name: "Posthouse",
      description: "Send email from your own domains and run your company's mailboxes",
      authentication: "Authorization: Bearer <API key>",
      openapi: "https://mail.example.com/openapi.json",
      documentation: "https://mail.example.com/docs",
      resources: [{ name: "emails", path: "/emails" }],
    },
  },
  "GET /openapi.json": { answer: { openapi: "3.1.1" } },
};
