import { z } from "zod";

import { resendEmail as resend } from "#server/core/sending/emails/resend-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AttemptQuery, EmailPath, NOT_FOUND } from "./email-path.ts";
import { withIdempotency } from "./with-idempotency.ts";

export const resendEmail = defineEndpoint({
  method: "POST",
  path: "/console/api/emails/{id}/resend",
  summary: "Resend an email",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  query: AttemptQuery,
  response: z.object({ id: z.uuid().describe("ID of the new email") }),
  refusals: [
    ...(["not_found", "invalid", "invalid_from_address", "domain_not_verified"] as const),
    ...(["account_inactive", "service_disabled", "account_suspended"] as const),
    ...(["invalid_idempotent_request", "concurrent_idempotent_requests"] as const),
    ...(["rate_limit_exceeded", "monthly_quota_exceeded"] as const),
  ],
  handle: ({ params, query, ...call }) =>
    withIdempotency(call, query.attempt, (lease) => resend(call.ctx, params.id, lease)),
});
