import { z } from "zod";

import { getEmail as get } from "#server/core/sending/emails/get-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailObject, emailObject } from "./email-object.ts";

export const getEmail = defineEndpoint({
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
  handle: async ({ ctx, params }) => emailObject(await get(ctx, params.id)),
});
