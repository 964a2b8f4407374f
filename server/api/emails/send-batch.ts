import { z } from "zod";

import {
  type BatchEmail,
  type BatchValidation,
  sendBatch as send,
} from "#server/core/sending/emails/send-batch.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { tryParse } from "#server/http/parse.ts";

import { BatchBody } from "./batch-body.ts";
import { EmailFields } from "./email-fields.ts";
import { IDEMPOTENCY_HEADER, idempotently } from "./idempotently.ts";
import { isGiven } from "./is-given.ts";

export const sendBatch = defineEndpoint({
  method: "POST",
  path: "/emails/batch",
  summary: "Send up to 100 emails",
  description:
    "Accepts all emails of the batch in one transaction, or none. With `x-batch-validation: permissive` the invalid ones are listed in `errors` and the others are sent. Limits count for the whole batch.",
  permission: "sending_access",
  privilege: null,
  requestHeaders: {
    ...IDEMPOTENCY_HEADER,
    "x-batch-validation": {
      type: "string",
      enum: ["strict", "permissive"],
      default: "strict",
      description: "strict: one invalid email refuses all; permissive: the valid ones are sent",
    },
  },
  body: BatchBody,
  bodyLimit: "sending",
  response: z.object({
    data: z
      .array(z.object({ id: z.uuid().describe("Id of the email") }))
      .describe("The accepted emails, in the order of the batch"),
    errors: z
      .array(
        z.object({
          index: z.int().describe("Place in the batch, from 0"),
          message: z.string().describe("What is wrong with the email"),
        }),
      )
      .optional()
      .describe("The emails left out of a permissive batch"),
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
    return idempotently(call, validation, (keyLock) =>
      send(call.ctx, call.key, { emails, validation }, keyLock),
    );
  },
});

function readValidation(header: string | string[] | undefined): BatchValidation {
  if (header === undefined) return "strict";
  if (header === "strict" || header === "permissive") return header;
  throw new Refusal("invalid", "x-batch-validation must be strict or permissive");
}

function readEmail(item: unknown, index: number): BatchEmail {
  if (hasAttachments(item))
    return {
      index,
      refusal: new Refusal("invalid", "attachments: are not allowed in a batch"),
    };
  const parsed = tryParse(EmailFields, item, ["missing_required_field"]);
  return "refusal" in parsed ? { index, refusal: parsed.refusal } : { index, input: parsed.data };
}

const hasAttachments = (item: unknown) =>
  typeof item === "object" && item !== null && "attachments" in item && isGiven(item.attachments);
