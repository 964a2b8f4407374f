import { z } from "zod";

import { getKeyNames } from "#server/core/access/api-keys/key-list.ts";
import { getRequest } from "#server/core/access/request-log/request-log.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { LogRow, logRow } from "./log-row.ts";
import { explainError } from "./explain-error.ts";

const LogDetail = LogRow.extend({
  refusal: z
    .object({ meaning: z.string(), remedy: z.string().nullable() })
    .nullable()
    .describe("What the error means and how to fix it"),
});

export const getLog = defineEndpoint({
  method: "GET",
  path: "/console/api/logs/{id}",
  summary: "Retrieve a logged API request",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  notFound: "Log not found",
  response: LogDetail,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const row = await getRequest(ctx, params.id);
    const keyNames = await getKeyNames(ctx, row.apiKeyId ? [row.apiKeyId] : []);
    return { ...logRow(row, keyNames), refusal: explainError(row.error, row.responseStatus) };
  },
});
