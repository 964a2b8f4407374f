import { z } from "zod";

import { sendEmail as send } from "#server/core/sending/emails/send-email.ts";
import { renderEmail } from "#server/core/sending/templates/render-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { deferred } from "#server/http/parse.ts";

import { EmailFields } from "./email-fields.ts";
import { IDEMPOTENCY_HEADER, withIdempotency } from "./with-idempotency.ts";

export const sendEmail = defineEndpoint({
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
      send(call.ctx, call.key, await renderEmail(call.ctx, body()), keyLock),
    ),
});
