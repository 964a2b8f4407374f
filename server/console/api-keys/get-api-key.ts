import { z } from "zod";

import { getKeyWithCreator } from "#server/core/access/api-keys/get-key-with-creator.ts";
import { nameOfPrivilege } from "#server/core/access/rights/privileges.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ApiKeyPath, ApiKeyRow, apiKeyRow, NOT_FOUND } from "./api-key-row.ts";

const ApiKeyDetail = ApiKeyRow.extend({
  rights: z
    .object({
      is_owner: z.boolean(),
      privileges: z.array(z.string()).describe("By name, held in the company or in some units"),
    })
    .describe("What its creator may do at this moment, and so the key"),
  scheduled: z.number().describe("Emails it scheduled that wait: canceled when it is revoked"),
});

export const getApiKey = defineEndpoint({
  method: "GET",
  path: "/console/api/api-keys/{id}",
  summary: "Read an API key, active or revoked",
  permission: "console",
  privilege: "api_controls",
  params: ApiKeyPath,
  notFound: NOT_FOUND,
  response: ApiKeyDetail,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { key, rights, scheduled } = await getKeyWithCreator(ctx, params.id);
    const privileges = [...new Set([...rights.privileges, ...rights.units.keys()])];
    return {
      ...apiKeyRow(key),
      rights: {
        is_owner: rights.privileges.has("owner"),
        privileges: privileges.filter((each) => each !== "owner").map(nameOfPrivilege),
      },
      scheduled,
    };
  },
});
