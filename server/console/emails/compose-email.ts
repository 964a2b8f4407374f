import { z } from "zod";

import { EmailFields } from "#server/api/emails/email-fields.ts";
import { sendFromConsole } from "#server/core/sending/emails/send-from-console.ts";
import { renderEmail } from "#server/core/sending/templates/render-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { deferred } from "#server/http/parse.ts";

import { AttemptQuery } from "./email-path.ts";
import { withIdempotency } from "./with-idempotency.ts";

export const composeEmail = defineEndpoint({
  method: "POST",
  path: "/console/api/emails",
  summary: "Send an email composed in the console",
  permission: "console",
  privilege: "api_controls",
  query: AttemptQuery,
  body: deferred(EmailFields, ["missing_required_field"]),
  bodyLimit: "sending",
  response: z.object({ id: z.uuid() }),
  refusals: [
    ...(["invalid_from_address", "domain_not_verified", "account_inactive"] as const),
    ...(["service_disabled", "account_suspended"] as const),
    ...(["invalid_idempotent_request", "concurrent_idempotent_requests"] as const),
    ...(["missing_required_field", "invalid_attachment", "invalid"] as const),
    ...(["rate_limit_exceeded", "monthly_quota_exceeded"] as const),
  ],
  handle: ({ query, body, ...call }) =>
    withIdempotency(call, query.attempt, async (lease) =>
      sendFromConsole(call.ctx, await renderEmail(call.ctx, body()), lease),
    ),
});
