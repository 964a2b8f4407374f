import { z } from "zod";

import { type BatchValidation, sendBatch as send } from "#server/core/sending/emails/send-batch.ts";
import {
  renderBatch,
  type UnrenderedBatchEmail,
} from "#server/core/sending/templates/render-emails.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { tryParse } from "#server/http/parse.ts";

import { BatchBody } from "./batch-body.ts";
import { EmailFields } from "./email-fields.ts";
import { IDEMPOTENCY_HEADER, withIdempotency } from "./with-idempotency.ts";
import { hasValue } from "./has-value.ts";

export const sendBatch = defineEndpoint({
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
      return send(call.ctx, call.key, { emails: rendered, validation }, keyLock);
    });
  },
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
