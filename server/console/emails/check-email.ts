import { EmailCheckObject, emailCheckObject } from "#server/api/emails/check-email.ts";
import { EmailFields } from "#server/api/emails/email-fields.ts";
import { checkEmail as check } from "#server/core/mail/email-check/check-email.ts";
import { renderEmail } from "#server/core/sending/templates/render-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const checkEmail = defineEndpoint({
  method: "POST",
  path: "/console/api/emails/check",
  summary: "Check an email composed in the console without sending it",
  permission: "console",
  privilege: "api_controls",
  body: EmailFields,
  bodyLimit: "sending",
  response: EmailCheckObject,
  refusals: ["missing_required_field", "invalid_attachment", "invalid"],
  handle: async ({ ctx, body }) =>
    emailCheckObject(await check(ctx, { key: null, input: await renderEmail(ctx, body) })),
});
