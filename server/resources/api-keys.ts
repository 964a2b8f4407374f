import { z } from "zod";

import { apiTimestamp, consoleTimestamp } from "#server/http/timestamps.ts";
import { countedList, listObject, listOf, PageQuery, sortQuery } from "#server/http/lists.ts";
import {
  changeKeyAddresses,
  createApiKey,
  KEY_PERMISSIONS,
  renameApiKey,
  revokeApiKey,
} from "#server/core/access/api-keys/api-keys.ts";
import {
  countKeys,
  getKeyWithCreator,
  listApiKeys,
  type ListedApiKey,
  listKeyChoices,
  listKeysWithCreators,
  type ShownKey,
} from "#server/core/access/api-keys/key-list.ts";
import { privilegeLabel } from "#server/core/access/privileges/privileges.ts";
import { change, defineEndpoint, pageEndpoints, read } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

/** Validated in core. */
const Name = blankIsMissing(z.string())
  .meta({ type: "string", minLength: 1 })
  .describe("Name of the key: 1 to 50 characters after trimming, without control characters");

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
        type: "string",
        enum: KEY_PERMISSIONS,
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

const ApiKeyPath = z.object({
  id: z.uuid().toLowerCase().describe("The key's ID, not the secret"),
});

const NOT_FOUND = "API key not found";

const ApiKeyListItem = z.object({
  id: z.uuid().describe("The key's ID, not the secret; also the pagination cursor"),
  name: z.string().describe("Name of the key"),
  permission: z
    .enum(KEY_PERMISSIONS)
    .describe("`sending_access` can only send; `test` works in test mode"),
  domain_id: z
    .uuid()
    .nullable()
    .describe("The domain a sending key is restricted to; otherwise null"),
  created_at: z.string().describe("When the key was created"),
  last_used_at: z
    .string()
    .nullable()
    .describe("When the key was last used, updated at most once a minute; null if never"),
});

const apiKeyListItem = (key: ListedApiKey): z.input<typeof ApiKeyListItem> => ({
  id: key.id,
  name: key.name,
  permission: key.permission,
  domain_id: key.domainId,
  created_at: apiTimestamp(key.createdAt),
  last_used_at: key.lastUsedAt && apiTimestamp(key.lastUsedAt),
});

export const apiKeysApi = {
  list: defineEndpoint({
    method: "GET",
    path: "/api-keys",
    summary: "List API keys",
    description: "Active keys, newest first.",
    permission: "full_access",
    privilege: "api_controls",
    query: PageQuery,
    response: listOf(ApiKeyListItem),
    refusals: ["invalid"],
    handle: async ({ ctx, query }) => listObject(await listApiKeys(ctx, query), apiKeyListItem),
  }),

  create: defineEndpoint({
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
      const { id, token } = await createApiKey(ctx, { ...body, creatorId: key.adminId });
      return { id, object: "api_key" as const, token };
    },
  }),

  update: defineEndpoint({
    method: "PATCH",
    path: "/api-keys/{id}",
    summary: "Rename an API key",
    permission: "full_access",
    privilege: "api_controls",
    params: ApiKeyPath,
    notFound: NOT_FOUND,
    body: z.object({ name: Name }),
    response: z.object({
      object: z.literal("api_key").describe("Object type"),
      id: z.uuid().describe("The key's ID, not the secret"),
    }),
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params: { id }, body: { name } }) => {
      await renameApiKey(ctx, id, name);
      return { object: "api_key" as const, id };
    },
  }),

  delete: defineEndpoint({
    method: "DELETE",
    path: "/api-keys/{id}",
    summary: "Delete an API key",
    description: "Revokes the key immediately and cancels its scheduled emails.",
    permission: "full_access",
    privilege: "api_controls",
    params: ApiKeyPath,
    notFound: NOT_FOUND,
    response: z.object({
      object: z.literal("api_key").describe("Object type"),
      id: z.uuid().describe("The key's ID, not the secret"),
      deleted: z.literal(true).describe("Always `true`"),
    }),
    refusals: ["not_found"],
    handle: async ({ ctx, params: { id } }) => {
      await revokeApiKey(ctx, id);
      return { object: "api_key" as const, id, deleted: true as const };
    },
  }),
};

/** A key as the console shows it. */
function shownKey(key: ShownKey) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    permission: key.permission,
    domain: key.domain,
    allowedAddresses: key.allowedAddresses,
    creator: {
      id: key.creatorId,
      name: key.creatorName,
      email: key.creatorEmail,
      isDisabled: key.creatorDisabledAt !== null,
    },
    createdAt: consoleTimestamp(key.createdAt),
    lastUsedAt: key.lastUsedAt && consoleTimestamp(key.lastUsedAt),
    revokedAt: key.revokedAt && consoleTimestamp(key.revokedAt),
  };
}

export const apiKeysConsole = pageEndpoints("console", "apiKeys", {
  list: read({
    privilege: "api_controls",
    query: PageQuery.and(
      z.object({
        state: z.enum(["active", "revoked"]).optional(),
        sort: sortQuery(["name", "used", "created"], "-created"),
      }),
    ),
    async handle({ ctx, query: { state, sort, ...request } }) {
      const filter = { isRevoked: state === "revoked" };
      const page = await listKeysWithCreators(ctx, request, filter, sort);
      return countedList(page, await countKeys(ctx, filter, sort, page.rows[0]), shownKey);
    },
  }),

  create: change({
    privilege: "api_controls",
    body: z.object({
      name: z.string(),
      permission: z.enum(KEY_PERMISSIONS),
      domainId: z.string().nullable(),
      allowedAddresses: z.array(z.string()),
    }),
    handle: ({ ctx, signedIn, body }) => createApiKey(ctx, { ...body, creatorId: signedIn.id }),
  }),

  getChoices: read({
    privilege: "api_controls",
    async handle({ ctx, request }) {
      const { domains, companyAddresses } = await listKeyChoices(ctx);
      return { domains, companyAddresses, yourAddress: request.address };
    },
  }),

  get: read({
    privilege: "api_controls",
    params: ApiKeyPath,
    notFound: NOT_FOUND,
    async handle({ ctx, params }) {
      const { key, creatorPrivileges, scheduled } = await getKeyWithCreator(ctx, params.id);
      const privileges = [
        ...new Set([...creatorPrivileges.privileges, ...creatorPrivileges.units.keys()]),
      ];
      return {
        ...shownKey(key),
        effectivePrivileges: {
          isOwner: creatorPrivileges.privileges.has("owner"),
          privileges: privileges.filter((privilege) => privilege !== "owner").map(privilegeLabel),
        },
        scheduled,
      };
    },
  }),

  update: change({
    privilege: "api_controls",
    params: ApiKeyPath,
    notFound: NOT_FOUND,
    body: z.object({
      name: z.string().optional(),
      allowedAddresses: z.array(z.string()).optional(),
    }),
    async handle({ ctx, params: { id }, body }) {
      if (body.allowedAddresses) await changeKeyAddresses(ctx, id, body.allowedAddresses);
      if (body.name !== undefined) await renameApiKey(ctx, id, body.name);
      return { id };
    },
  }),

  revoke: change({
    privilege: "api_controls",
    params: ApiKeyPath,
    notFound: NOT_FOUND,
    async handle({ ctx, params: { id } }) {
      await revokeApiKey(ctx, id);
      return { id };
    },
  }),
});
