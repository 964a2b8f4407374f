import { z } from "zod";

import { createApiKey as create } from "#server/core/access/api-keys/create-api-key.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name, orAbsent } from "./api-key-fields.ts";

const ApiKeyFields = z
  .object({
    name: Name,
    permission: z
      .preprocess(
        orAbsent,
        z
          .enum(["full_access", "sending_access"], {
            error: "must be full_access or sending_access",
          })
          .nullish(),
      )
      .meta({
        description: "full_access when left out",
        ...{ type: "string", enum: ["full_access", "sending_access"] },
      }),
    domain_id: z
      .preprocess(orAbsent, z.string().nullish())
      .meta({ type: "string", format: "uuid" })
      .describe("Restricts a sending key to one domain of the company with proven ownership"),
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
    "The key acts for the same person as the one it is created with. The token is shown this once.",
  permission: "full_access",
  privilege: "api_controls",
  body: ApiKeyFields,
  response: z.object({
    id: z.uuid().describe("Id of the key, which is not the secret"),
    object: z.literal("api_key").describe("What kind of object this is"),
    token: z.string().describe("The whole key. It cannot be read again"),
  }),
  refusals: ["missing_required_field", "invalid"],
  handle: async ({ ctx, key, body }) => {
    const { id, token } = await create(ctx, { ...body, creatorId: key.adminId });
    return { id, object: "api_key" as const, token };
  },
});
