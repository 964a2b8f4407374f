import { z } from "zod";

import { defineEndpoint } from "#server/http/endpoint.ts";

import { apiDocument } from "./api-document.ts";

export const getOpenapi = defineEndpoint({
  method: "GET",
  path: "/openapi.json",
  summary: "Retrieve the OpenAPI document",
  permission: "public",
  privilege: null,
  response: z.looseObject({ openapi: z.string().describe("OpenAPI version") }),
  refusals: [],
  handle: apiDocument,
});
