import { z } from "zod";

import { cancelEmail as cancel } from "#server/core/sending/emails/cancel-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailReference } from "./email-object.ts";

export const cancelEmail = defineEndpoint({
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
    await cancel(ctx, id);
    return { object: "email" as const, id };
  },
});
