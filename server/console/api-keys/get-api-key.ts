import { z } from "zod";

import { getKeyWithCreator } from "#server/core/access/api-keys/key-list.ts";
import { privilegeLabel } from "#server/core/access/privileges/privileges.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ApiKeyPath, ApiKeyRow, apiKeyRow, NOT_FOUND } from "./api-key-row.ts";

const ApiKeyDetail = ApiKeyRow.extend({
  effective_privileges: z
    .object({
      is_owner: z.boolean(),
      privileges: z
        .array(z.string())
        .describe("Names of privileges in the company or in some units"),
    })
    .describe("The creator's current privileges, which are also the key's"),
  scheduled: z.number().describe("Number of scheduled emails; revoking the key cancels them"),
});

export const getApiKey = defineEndpoint({
  method: "GET",
  path: "/console/api/api-keys/{id}",
  summary: "Retrieve an active or revoked API key",
  permission: "console",
  privilege: "api_controls",
  params: ApiKeyPath,
  notFound: NOT_FOUND,
  response: ApiKeyDetail,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { key, creatorPrivileges, scheduled } = await getKeyWithCreator(ctx, params.id);
    const privileges = [
      ...new Set([...creatorPrivileges.privileges, ...creatorPrivileges.units.keys()]),
    ];
    return {
      ...apiKeyRow(key),
      effective_privileges: {
        is_owner: creatorPrivileges.privileges.has("owner"),
        privileges: privileges.filter((privilege) => privilege !== "owner").map(privilegeLabel),
      },
      scheduled,
    };
  },
});
