import { z } from "zod";

import { config } from "#server/config.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const describeApi = defineEndpoint({
  method: "GET",
  path: "/",
  summary: "Describe the API",
  permission: "public",
  privilege: null,
  response: z.object({
    name: z.string(),
    description: z.string(),
    authentication: z.string().describe("How to send an API key"),
    openapi: z.string().describe("URL of the OpenAPI document"),
    resources: z.array(z.object({ name: z.string(), path: z.string() })),
  }),
  refusals: [],
  handle: () =>
    Promise.resolve({
      name: "Posthouse",
      description: "Send email from your own domains and run your company's mailboxes",
      authentication: "Authorization: Bearer <API key>",
      openapi: `${config().baseUrl}/openapi.json`,
      resources: [{ name: "emails", path: "/emails" }],
    }),
});
