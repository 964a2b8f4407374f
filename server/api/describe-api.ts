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
    name: z.string().describe("What answers here"),
    description: z.string().describe("What it is for"),
    authentication: z.string().describe("How to send an API key"),
    openapi: z.string().describe("URL of the OpenAPI document"),
    documentation: z.string().describe("URL of the API reference for people"),
    resources: z
      .array(
        z.object({
          name: z.string().describe("Name of the resource"),
          path: z.string().describe("Path that its endpoints begin with"),
        }),
      )
      .describe("Everything there are endpoints for"),
  }),
  refusals: [],
  handle: async () => {
    // The registry names this endpoint too, so it is read when called.
    const { endpoints } = await import("./registry.ts");
    const roots = endpoints
      .filter(({ permission }) => permission !== "public")
      .map(({ path }) => path.split("/")[1]!);
    return {
      name: "Posthouse",
      description: "Send email from your own domains and run your company's mailboxes",
      authentication: "Authorization: Bearer <API key>",
      openapi: `${config().baseUrl}/openapi.json`,
      documentation: `${config().baseUrl}/docs`,
      resources: [...new Set(roots)].map((name) => ({ name, path: `/${name}` })),
    };
  },
});
