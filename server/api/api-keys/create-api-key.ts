import { z } from "zod";

import { createApiKey as create, KEY_PERMISSIONS } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name } from "./api-key-fields.ts";

const ApiKeyFields = z
  .object({
    name: Name,
    // Empty text isn't taken as absent here: a missing value in the caller's settings would give the key more access.
    permission: z
      .enum(KEY_PERMISSIONS, { error: "must be full_access, sending_access or test" })
      .nullish()
      .meta({
        description:
          "`sending_access` can only send. With `test`, the key works in test mode: nothing is delivered. Defaults to `full_access`",
        ...{ type: "string", enum: KEY_PERMISSIONS },
      }),
    domain_id: z
      .string()
      .nullish()
      .meta({ type: "string", format: "uuid" })
      .describe("Restricts a sending key to one of the company's domains with verified ownership"),
  })
  .transform(({ name, permission, domain_id: domainId }) => ({
    name,
    permission: permission ?? ("full_access" as const),
    domainId: domainId ?? null,
  }));

export const createApiKey = defineEndpoint({
  method: "POST",
  path: "/api-keys",
  summary: "Create an API key",
  description:
    "The new key has the same creator, and so the same privileges, as the key that makes this request. The token is shown only once.",
  permission: "full_access",
  privilege: "api_controls",
  body: ApiKeyFields,
  response: z.object({
    id: z.uuid().describe("The key's ID, not the secret"),
    object: z.literal("api_key").describe("Object type"),
    token: z.string().describe("The secret to authenticate with. It can't be retrieved later"),
  }),
  refusals: ["missing_required_field", "invalid"],
  handle: async ({ ctx, key, body }) => {
    const { id, token } = await create(ctx, { ...body, creatorId: key.adminId });
    return { id, object: "api_key" as const, token };
  },
});
