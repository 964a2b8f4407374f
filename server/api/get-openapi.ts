import { z } from "zod";

import { config } from "#server/config.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { openapiDocument } from "#server/http/openapi.ts";

export const getOpenapi = defineEndpoint({
  method: "GET",
  path: "/openapi.json",
  summary: "Read this API's OpenAPI document",
  permission: "public",
  privilege: null,
  response: z.looseObject({ openapi: z.string() }),
  refusals: [],
  handle: async () => {
    // The registry names this endpoint too, so it is read when called.
    const { endpoints } = await import("./registry.ts");
    return openapiDocument(endpoints, config().baseUrl);
  },
});
