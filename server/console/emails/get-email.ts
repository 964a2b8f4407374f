import { z } from "zod";

import type { EmailBody } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getEmail as get } from "#server/core/emails/get-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailStatus } from "./email-row.ts";

const addresses = z.array(z.string());

const EmailDetail = z.object({
  id: z.uuid(),
  message_id: z.string().nullable().describe("Null until handed to the mail server"),
  from: z.string(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  subject: z.string(),
  status: EmailStatus,
  created_at: z.string(),
  scheduled_at: z.string().nullable(),
  tags: z.array(z.object({ name: z.string(), value: z.string() })),
  content: z
    .object({
      html: z.string().nullable(),
      text: z.string().nullable().describe("Null: made from html; empty: none was sent"),
      headers: z.record(z.string(), z.string()),
    })
    .nullable()
    .describe("Kept for three days after sending"),
});

export const getEmail = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}",
  summary: "Read an email",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  notFound: "Email not found",
  response: EmailDetail,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => {
    const { email, body } = await get(ctx, params.id);
    return {
      id: email.id,
      message_id: email.messageId,
      from: email.from,
      to: withNames(email.to, body?.addressHeaders.to),
      cc: withNames(email.cc, body?.addressHeaders.cc),
      bcc: email.bcc,
      reply_to: withNames(email.replyTo, body?.addressHeaders.replyTo),
      subject: email.subject,
      status: email.lastEvent,
      created_at: consoleTimestamp(email.createdAt),
      scheduled_at: email.scheduledAt === null ? null : consoleTimestamp(email.scheduledAt),
      tags: email.tags,
      content: body && { html: body.html, text: body.text, headers: body.headers },
    };
  },
});

/** Display names go with the body: what is kept for good are the addresses. */
function withNames(bare: string[], named: EmailBody["addressHeaders"]["to"] = []): string[] {
  if (named.length !== bare.length) return bare;
  return named.map(({ name, address }) => (name ? `${quoted(name)} <${address}>` : address));
}

/** As it must be written to be read again (RFC 5322, 3.4): quoted unless it is plain words. */
function quoted(name: string): string {
  return /^[\p{L}\p{N} ]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}
