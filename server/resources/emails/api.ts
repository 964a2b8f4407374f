import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import { type EmailCheck, checkEmail } from "#server/core/mail/email-check/check-email.ts";
import { cancelEmail, rescheduleEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { getEmail, listEmailEvents, listEmails } from "#server/core/sending/emails/emails.ts";
import { requireAttachments } from "#server/core/sending/emails/attachments.ts";
import {
  type BatchValidation,
  sendBatch,
  sendEmail,
} from "#server/core/sending/emails/send-emails.ts";
import { listReceipts, type Receipt } from "#server/core/sending/receipts/receipts.ts";
import {
  type UnrenderedBatchEmail,
  renderBatch,
  renderEmail,
} from "#server/core/sending/templates/render-emails.ts";
import { pageInMemory } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/lists.ts";
import { deferred, tryParse } from "#server/http/parse.ts";

import {
  BatchBody,
  EmailFields,
  IDEMPOTENCY_HEADER,
  ScheduledAt,
  hasValue,
  withIdempotency,
} from "./fields.ts";
import {
  ATTACHMENT_NOT_FOUND,
  AttachmentListItem,
  AttachmentObject,
  EmailListItem,
  EmailObject,
  EmailReference,
  attachmentListItem,
  emailListItem,
  emailObject,
} from "./objects.ts";
import { getEmailMetrics } from "./metrics.ts";

const AuthenticationObject = z.object({
  domain: z.string().describe("The domain of the From address"),
  spf: z
    .enum(["aligned", "not_aligned", "missing"])
    .describe("`not_aligned`: SPF passes, but for a domain that DMARC doesn't accept"),
  dkim: z.enum(["aligned", "missing"]).describe("Emails are signed by the From domain"),
  dmarc: z
    .enum(["none", "quarantine", "reject"])
    .nullable()
    .describe("The published policy; null without a DMARC record"),
});

export const EmailCheckObject = z
  .object({
    object: z.literal("email_check").describe("Object type"),
    result: z
      .enum(["ok", "warnings", "errors"])
      .describe("`errors`: the email would not be sent, or not to everyone"),
    findings: z
      .array(
        z.object({
          level: z.enum(["error", "warning"]).describe("How serious it is"),
          code: z.string().describe("Stable name, such as `recipient_suppressed` or `http_link`"),
          message: z.string().describe("What is wrong and what to do"),
        }),
      )
      .describe("What was found, errors first"),
    recipients: z
      .array(
        z.object({
          address: z.string().describe("The recipient"),
          outcome: z
            .enum(["deliver", "suppressed", "bounce", "unknown"])
            .describe(
              "`unknown`: the mail servers can't be looked up, or another company of this server receives its mail",
            ),
          destination: z
            .enum(["mailbox", "group", "inbound", "external"])
            .describe("Whether the address is here or elsewhere"),
          mail_hosts: z.array(z.string()).describe("Mail servers of an external address"),
          reason: z.string().nullable().describe("Why it would not be delivered"),
        }),
      )
      .describe("Each recipient once"),
    authentication: AuthenticationObject.nullable().describe(
      "How receivers authenticate the email, by the DNS records at the last check; null if the domain isn't yours",
    ),
    size: z.number().int().describe("Size of the message in octets"),
    text: z.string().describe("The text version, as given or generated; at most 20,000 characters"),
    links: z
      .array(
        z.object({
          url: z.string().describe("The target"),
          text: z.string().describe("The text that readers see"),
        }),
      )
      .describe("Links of the HTML, at most 200"),
    images: z.number().int().describe("Number of images in the HTML"),
    image_details: z
      .object({
        embedded_bytes: z
          .number()
          .int()
          .describe("Size of the attachments with a `content_id` and of `data:` URLs, in octets"),
        remote: z.number().int().describe("Images on web servers. They aren't requested"),
        without_size: z.number().int().describe("Remote images without width or height"),
        without_alt: z.number().int().describe("Remote images without alt text"),
      })
      .describe("Size of the embedded images, and counts of the remote ones"),
    spam: z
      .object({
        score: z.number().describe("rspamd's score"),
        threshold: z.number().describe("From this score on, outgoing mail counts as spam"),
        rules: z.array(z.string()).describe("Rules against the message, strongest first"),
      })
      .nullable()
      .describe("Null if rspamd doesn't run"),
    wait_seconds: z
      .number()
      .int()
      .describe("How long the oldest recipient in this server's queue has been waiting"),
  })
  .meta({ id: "EmailCheck" });

export function emailCheckObject(found: EmailCheck): z.input<typeof EmailCheckObject> {
  const { findings, recipients, waitSeconds, imageFacts, ...rest } = found;
  return {
    object: "email_check",
    ...rest,
    findings: findings.toSorted((one, other) => one.level.localeCompare(other.level)),
    recipients: recipients.map(({ mailHosts, ...one }) => ({ ...one, mail_hosts: mailHosts })),
    image_details: {
      embedded_bytes: imageFacts.embeddedBytes,
      remote: imageFacts.remote,
      without_size: imageFacts.withoutSize,
      without_alt: imageFacts.withoutAlt,
    },
    wait_seconds: waitSeconds,
  };
}

/** An event of an email. Fields without a value are omitted. */
const EmailEventObject = z
  .object({
    object: z.literal("email_event").describe("Object type"),
    id: z.string().describe("Numeric string; also the pagination cursor"),
    type: z
      .string()
      .describe("Event type, such as `email.sent`, `email.delivered` or `email.bounced`"),
    created_at: z.string().describe("When the event happened"),
    recipient: z
      .string()
      .nullable()
      .describe("The recipient; null if the event concerns the whole email"),
    dsn: z.string().optional().describe("Delivery status code, such as `5.1.1`"),
    message: z.string().optional().describe("The receiving server's reply"),
    reason: z
      .string()
      .optional()
      .describe("Why the email failed or was canceled, or why the recipient was suppressed"),
    link: z.string().optional().describe("The clicked URL"),
    ip_address: z
      .string()
      .optional()
      .describe("IP address of the client that opened the email, clicked the link or unsubscribed"),
    user_agent: z
      .string()
      .optional()
      .describe("User agent of the client that opened the email, clicked the link or unsubscribed"),
  })
  .meta({ id: "EmailEvent" });

function emailEventObject(event: EmailEvent): z.input<typeof EmailEventObject> {
  return {
    object: "email_event",
    id: event.id.toString(),
    type: `email.${event.type}`,
    created_at: apiTimestamp(event.createdAt),
    recipient: event.recipient,
    dsn: event.dsn ?? undefined,
    message: event.message ?? undefined,
    reason: event.reason ?? undefined,
    link: event.link ?? undefined,
    ip_address: event.ipAddress ?? undefined,
    user_agent: event.userAgent ?? undefined,
  };
}

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

function readValidation(header: string | string[] | undefined): BatchValidation {
  if (header === undefined) return "strict";
  if (header === "strict" || header === "permissive") return header;
  throw new Refusal("invalid", "x-batch-validation must be strict or permissive");
}

function readEmail(item: unknown, index: number): UnrenderedBatchEmail {
  if (hasAttachments(item))
    return {
      index,
      refusal: new Refusal(
        "invalid",
        "Attachments are not supported in a batch. Send the email on its own",
      ),
    };
  const parsed = tryParse(EmailFields, item, ["missing_required_field"]);
  return "refusal" in parsed ? { index, refusal: parsed.refusal } : { index, input: parsed.data };
}

const hasAttachments = (item: unknown) =>
  typeof item === "object" && item !== null && "attachments" in item && hasValue(item.attachments);

const UpdateFields = z
  .object({
    scheduled_at: z
      .string()
      .nullish()
      .describe(
        "When to send: ISO 8601 with a time zone, or a phrase such as `in 2 hours`. At most 30 days ahead",
      ),
    scheduledAt: z.string().nullish().describe("Alias of `scheduled_at`"),
  })
  // Null and "" count as absent, so they must not override the other spelling.
  .transform((body) => ({ scheduled_at: body.scheduled_at || body.scheduledAt || undefined }))
  .pipe(z.object({ scheduled_at: ScheduledAt }));

export const emailsApi = {
  send: defineEndpoint({
    method: "POST",
    path: "/emails",
    summary: "Send an email",
    description:
      "Sends an email now, or at `scheduled_at`. Recipients on the suppression list are skipped, each with an `email.suppressed` event. If all recipients are skipped, the email ends as `suppressed`.",
    permission: "sending_access",
    privilege: null,
    requestHeaders: IDEMPOTENCY_HEADER,
    body: deferred(EmailFields, ["missing_required_field"]),
    bodyLimit: "sending",
    response: z.object({ id: z.uuid().describe("The email's ID") }),
    refusals: [
      "invalid_idempotency_key",
      "invalid_from_address",
      "domain_not_verified",
      "account_inactive",
      "invalid_idempotent_request",
      "concurrent_idempotent_requests",
      "missing_required_field",
      "invalid_attachment",
      "invalid",
      "monthly_quota_exceeded",
    ],
    handle: ({ body, ...call }) =>
      withIdempotency(call, "", async (keyLock) =>
        sendEmail(call.ctx, call.key, await renderEmail(call.ctx, body()), keyLock),
      ),
  }),

  sendBatch: defineEndpoint({
    method: "POST",
    path: "/emails/batch",
    summary: "Send a batch of emails",
    description:
      "Sends up to 100 emails. Either all emails are accepted or none. With `x-batch-validation: permissive`, invalid emails are listed in `errors` and the others are sent. Limits apply to the batch as a whole. Attachments are not supported.",
    permission: "sending_access",
    privilege: null,
    requestHeaders: {
      ...IDEMPOTENCY_HEADER,
      "x-batch-validation": {
        type: "string",
        enum: ["strict", "permissive"],
        default: "strict",
        description:
          "`strict`: one invalid email fails the whole batch. `permissive`: valid emails are sent",
      },
    },
    body: BatchBody,
    bodyLimit: "sending",
    response: z.object({
      data: z
        .array(z.object({ id: z.uuid().describe("The email's ID") }))
        .describe("The accepted emails, in batch order"),
      errors: z
        .array(
          z.object({
            index: z.int().describe("Zero-based position in the batch"),
            message: z.string().describe("Why the email is invalid"),
          }),
        )
        .optional()
        .describe("The invalid emails of a permissive batch"),
    }),
    refusals: [
      "invalid_idempotency_key",
      "invalid_from_address",
      "domain_not_verified",
      "account_inactive",
      "invalid_idempotent_request",
      "concurrent_idempotent_requests",
      "missing_required_field",
      "invalid",
      "monthly_quota_exceeded",
    ],
    handle: ({ body, ...call }) => {
      const validation = readValidation(call.request.headers["x-batch-validation"]);
      const emails = body.map(readEmail);
      return withIdempotency(call, validation, async (keyLock) => {
        const rendered = await renderBatch(call.ctx, emails);
        return sendBatch(call.ctx, call.key, { emails: rendered, validation }, keyLock);
      });
    },
  }),

  check: defineEndpoint({
    method: "POST",
    path: "/emails/check",
    summary: "Check an email without sending it",
    description:
      "Takes the same body as `POST /emails` and returns what would happen, without sending or storing anything: for each recipient, authentication, content, spam score and the queue.",
    // It reveals what is on the suppression list, which sending keys can't read.
    permission: "full_access",
    privilege: "api_controls",
    body: EmailFields,
    bodyLimit: "sending",
    response: EmailCheckObject,
    refusals: ["missing_required_field", "invalid_attachment", "invalid"],
    handle: async ({ ctx, key, body }) =>
      emailCheckObject(await checkEmail(ctx, { key, input: await renderEmail(ctx, body) })),
  }),

  list: defineEndpoint({
    method: "GET",
    path: "/emails",
    summary: "List emails",
    description: "Newest first.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    query: PageQuery,
    response: listOf(EmailListItem),
    refusals: ["invalid"],
    handle: async ({ ctx, query }) => listObject(await listEmails(ctx, query), emailListItem),
  }),

  getMetrics: getEmailMetrics,

  get: defineEndpoint({
    method: "GET",
    path: "/emails/{id}",
    summary: "Retrieve an email",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({ id: z.uuid().describe("The email's ID") }),
    notFound: "Email not found",
    response: EmailObject,
    refusals: ["not_found"],
    handle: async ({ ctx, params }) => emailObject(await getEmail(ctx, params.id)),
  }),

  update: defineEndpoint({
    method: "PATCH",
    path: "/emails/{id}",
    summary: "Reschedule an email",
    description:
      "Only an email that is still scheduled can be rescheduled. A time less than 5 seconds ahead or up to a minute in the past sends the email immediately.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({ id: z.uuid().toLowerCase().describe("The email's ID") }),
    notFound: "Email not found",
    body: UpdateFields,
    response: EmailReference,
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params: { id }, body }) => {
      await rescheduleEmail(ctx, id, body.scheduled_at);
      return { object: "email" as const, id };
    },
  }),

  cancel: defineEndpoint({
    method: "POST",
    path: "/emails/{id}/cancel",
    summary: "Cancel a scheduled email",
    description: "Only an email that is still scheduled can be canceled.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({ id: z.uuid().toLowerCase().describe("The email's ID") }),
    notFound: "Email not found",
    response: EmailReference,
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params: { id } }) => {
      await cancelEmail(ctx, id);
      return { object: "email" as const, id };
    },
  }),

  listEvents: defineEndpoint({
    method: "GET",
    path: "/emails/{id}/events",
    summary: "List an email's events",
    description: "Oldest first.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({ id: z.uuid().describe("The email's ID") }),
    notFound: "Email not found",
    query: PageQuery,
    response: listOf(EmailEventObject),
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params, query }) =>
      listObject(await listEmailEvents(ctx, params.id, query), emailEventObject),
  }),

  listReceipts: defineEndpoint({
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
      listObject(await listReceipts(ctx, params.id, query), receiptObject),
  }),

  listAttachments: defineEndpoint({
    method: "GET",
    path: "/emails/{id}/attachments",
    summary: "List an email's attachments",
    description:
      "In message order. Content is deleted 3 days after sending; from then on this is a 404 that says so.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({ id: z.uuid().describe("The email's ID") }),
    notFound: "Email not found",
    query: PageQuery,
    response: listOf(AttachmentListItem),
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params: { id }, query }) => {
      const files = await requireAttachments(ctx, id);
      return listObject(pageInMemory(files, query), (file) => attachmentListItem(ctx, id, file));
    },
  }),

  getAttachment: defineEndpoint({
    method: "GET",
    path: "/emails/{id}/attachments/{attachment_id}",
    summary: "Retrieve an email's attachment",
    description:
      "Content is deleted 3 days after sending; from then on this is a 404 that says so, and links to it no longer work.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: z.object({
      id: z.uuid().describe("The email's ID"),
      attachment_id: z.uuid().describe("The attachment's ID"),
    }),
    notFound: ATTACHMENT_NOT_FOUND,
    response: AttachmentObject,
    refusals: ["not_found"],
    handle: async ({ ctx, params: { id, attachment_id } }) => {
      const file = (await requireAttachments(ctx, id)).find((one) => one.id === attachment_id);
      if (!file) throw new Refusal("not_found", ATTACHMENT_NOT_FOUND);
      return { object: "attachment" as const, ...attachmentListItem(ctx, id, file) };
    },
  }),
};
