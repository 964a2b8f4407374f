import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import { cancelEmail, rescheduleEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { getEmail, listEmailEvents, listEmails } from "#server/core/sending/emails/emails.ts";
import {
  type BatchValidation,
  sendBatch,
  sendEmail,
} from "#server/core/sending/emails/send-emails.ts";
import {
  type UnrenderedBatchEmail,
  renderBatch,
  renderEmail,
} from "#server/core/sending/templates/render-emails.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { deferred, tryParse } from "#server/http/parse.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { hasValue } from "./attachment-field.ts";
import { checkEmailEndpoint } from "./check.ts";
import { BatchBody, EmailFields, ScheduledAt } from "./fields.ts";
import { IDEMPOTENCY_HEADER, withIdempotency } from "./idempotency.ts";
import {
  EmailListItem,
  EmailObject,
  EmailReference,
  emailListItem,
  emailObject,
} from "./objects.ts";
import { getEmailMetrics } from "./metrics.ts";

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

const emailEventObject = (event: EmailEvent): z.input<typeof EmailEventObject> => ({
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
  send: defineEndpoint("POST", "/emails", {
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
      "monthly_quota_exceeded",
    ],
    handle: ({ body, ...call }) =>
      withIdempotency(call, "", async (keyLock) =>
        sendEmail(call.ctx, call.key, await renderEmail(call.ctx, body()), keyLock),
      ),
  }),

  sendBatch: defineEndpoint("POST", "/emails/batch", {
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

  check: checkEmailEndpoint,

  list: defineEndpoint("GET", "/emails", {
    summary: "List emails",
    description: "Newest first.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    query: PageQuery,
    response: listResponse(EmailListItem),
    handle: async ({ ctx, query }) => listObject(await listEmails(ctx, query), emailListItem),
  }),

  getMetrics: getEmailMetrics,

  get: defineEndpoint("GET", "/emails/{id}", {
    summary: "Retrieve an email",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: pathOf("Email not found", { id: z.uuid().describe("The email's ID") }),
    response: EmailObject,
    handle: async ({ ctx, params }) => emailObject(await getEmail(ctx, params.id)),
  }),

  update: defineEndpoint("PATCH", "/emails/{id}", {
    summary: "Reschedule an email",
    description:
      "Only an email that is still scheduled can be rescheduled. A time less than 5 seconds ahead or up to a minute in the past sends the email immediately.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: pathOf("Email not found", { id: z.uuid().toLowerCase().describe("The email's ID") }),
    body: UpdateFields,
    response: EmailReference,
    handle: async ({ ctx, params: { id }, body }) => {
      await rescheduleEmail(ctx, id, body.scheduled_at);
      return { object: "email" as const, id };
    },
  }),

  cancel: defineEndpoint("POST", "/emails/{id}/cancel", {
    summary: "Cancel a scheduled email",
    description: "Only an email that is still scheduled can be canceled.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: pathOf("Email not found", { id: z.uuid().toLowerCase().describe("The email's ID") }),
    response: EmailReference,
    refusals: ["invalid"],
    handle: async ({ ctx, params: { id } }) => {
      await cancelEmail(ctx, id);
      return { object: "email" as const, id };
    },
  }),

  listEvents: defineEndpoint("GET", "/emails/{id}/events", {
    summary: "List an email's events",
    description: "Oldest first.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: pathOf("Email not found", { id: z.uuid().describe("The email's ID") }),
    query: PageQuery,
    response: listResponse(EmailEventObject),
    handle: async ({ ctx, params, query }) =>
      listObject(await listEmailEvents(ctx, params.id, query), emailEventObject),
  }),
};
