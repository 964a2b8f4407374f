import { z } from "zod";

import { getRequest } from "#server/core/access/request-log/request-log.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { LogObject, logObject } from "./log-object.ts";

export const getLog = defineEndpoint({
  method: "GET",
  path: "/logs/{id}",
  summary: "Retrieve an API request",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("The entry's ID") }),
  notFound: "Log not found",
  response: LogObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => logObject(await getRequest(ctx, params.id)),
});
