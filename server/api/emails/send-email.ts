import { z } from "zod";

import { sendEmail as send } from "#server/core/emails/send-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailFields } from "./email-fields.ts";

export const sendEmail = defineEndpoint({
  method: "POST",
  path: "/emails",
  summary: "Send an email",
  permission: "sending_access",
  privilege: null,
  body: EmailFields,
  bodyLimit: "sending",
  response: z.object({ id: z.uuid() }),
  refusals: [
    "invalid_from_address",
    "domain_not_verified",
    "account_inactive",
    "missing_required_field",
    "invalid_attachment",
    "invalid",
  ],
  handle: ({ ctx, key, body }) => send(ctx, key, body),
});
