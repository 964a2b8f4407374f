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
    name: z.string().describe("Name of the service"),
    description: z.string().describe("What the service does"),
    authentication: z.string().describe("How to authenticate"),
    openapi: z.string().describe("URL of the OpenAPI document"),
    documentation: z.string().describe("URL of the API reference"),
    resources: z
      .array(
        z.object({
          name: z.string().describe("Name of the resource"),
          path: z.string().describe("Path prefix of its endpoints"),
        }),
      )
      .describe("The API's resources"),
  }),
  refusals: [],
  handle: async () => ({
    name: "Posthouse",
    description: "Send email from your own domains and run your company's mailboxes",
    authentication: "Authorization: Bearer <API key>",
    openapi: `${config().baseUrl}/openapi.json`,
    documentation: `${config().baseUrl}/docs`,
    resources: await (resources ??= listResources()),
  }),
});

let resources: ReturnType<typeof listResources> | undefined;

async function listResources(): Promise<{ name: string; path: string }[]> {
  // Imported lazily: the registry imports this endpoint.
  const { endpoints } = await import("./registry.ts");
  const roots = endpoints
    .filter(({ permission }) => permission !== "public")
    .map(({ path }) => path.split("/")[1]!);
  return [...new Set(roots)].map((name) => ({ name, path: `/${name}` }));
}
