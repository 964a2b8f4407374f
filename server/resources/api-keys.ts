import { z } from "zod";

import { advanceClock } from "#server/core/sending/test-mode/test-mode.ts";
import type { Example } from "#server/http/code-samples.ts";
import { apiTimestamp, consoleTimestamp } from "#server/http/timestamps.ts";
import { countedList, listObject, listResponse, PageQuery, sortQuery } from "#server/http/lists.ts";
import {
  changeApiKey,
  createApiKey,
  KEY_PERMISSIONS,
  revokeApiKey,
} from "#server/core/access/api-keys/api-keys.ts";
import {
  getKeyWithCreator,
  listApiKeys,
  type ListedApiKey,
  listKeyChoices,
  listKeysWithCreators,
  type ShownKey,
} from "#server/core/access/api-keys/key-list.ts";
import { getBlockedRequests } from "#server/core/access/request-log/request-log.ts";
import { privilegeLabel } from "#server/universal/privileges.ts";
import { change, defineEndpoint, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
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

const ApiKeyPath = pathOf("API key not found", {
  id: z.uuid().toLowerCase().describe("The key's ID, not the secret"),
});

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

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DAYS_MAX = 30;

const DURATION = "must be a whole number with a unit: s, m, h or d, such as 90s, 2h or 3d";

const Duration = z
  .string()
  .regex(/^[1-9]\d{0,6}(s|m|h|d)$/, DURATION)
  .transform((text) => Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS])
  .refine((seconds) => seconds <= DAYS_MAX * UNITS.d, `must be at most ${DAYS_MAX}d`)
  .meta({ type: "string", example: "2h" })
  .describe("How far to move: a whole number of seconds, minutes, hours or days, up to `30d`");

const EXAMPLE_ID = "0198c0de-6c3d-7e50-9b74-8f302d9c4e33";

/** For the API reference. */
export const apiKeyExamples = (domainId: string): Record<string, Example> => ({
  "GET /api-keys": {
    answer: {
      object: "list",
      has_more: false,
      data: [
        {
          id: EXAMPLE_ID,
          name: "Shop",
          permission: "sending_access",
          domain_id: domainId,
          created_at: "2026-03-02 09:30:00.412345+00",
          last_used_at: null,
        },
      ],
    },
    sdk: ["apiKeys.list"],
  },
  "POST /api-keys": {
    body: { name: "Shop", permission: "sending_access", domain_id: domainId },
    answer: {
      object: "api_key",
      id: EXAMPLE_ID,
      token: "ph_a1B2c3D4_x7K9mQ2vT5wR8yU1iO4pL6sD3fG0hJ9z",
    },
    sdk: ["apiKeys.create", { name: "Shop", permission: "sending_access", domain_id: domainId }],
  },
  "PATCH /api-keys/{id}": {
    params: { id: EXAMPLE_ID },
    body: { name: "Shop, orders" },
    answer: { object: "api_key", id: EXAMPLE_ID },
    sdk: ["apiKeys.update", EXAMPLE_ID, { name: "Shop, orders" }],
  },
  "DELETE /api-keys/{id}": {
    params: { id: EXAMPLE_ID },
    answer: { object: "api_key", id: EXAMPLE_ID, deleted: true },
    sdk: ["apiKeys.remove", EXAMPLE_ID],
  },
  "POST /test/clock": {
    body: { advance: "2h" },
    answer: {
      object: "test_clock",
      advanced_seconds: 7_200,
      scheduled_emails: 1,
      retries: 1,
      webhook_events: 0,
    },
    sdk: ["post", "/test/clock", { advance: "2h" }],
  },
});

/** The API keys of a company, as its API keys manage them. */
export const apiKeysApi = {
  list: defineEndpoint("GET", "/api-keys", {
    summary: "List API keys",
    description: "Active keys, newest first.",
    privilege: "api_controls",
    query: PageQuery,
    response: listResponse(ApiKeyListItem),
    handle: async ({ ctx, query }) => listObject(await listApiKeys(ctx, query), apiKeyListItem),
  }),

  create: defineEndpoint("POST", "/api-keys", {
    summary: "Create an API key",
    description:
      "The new key has the same creator, and so the same privileges, as the key that makes this request. The token is shown only once.",
    privilege: "api_controls",
    body: ApiKeyFields,
    response: z.object({
      id: z.uuid().describe("The key's ID, not the secret"),
      object: z.literal("api_key").describe("Object type"),
      token: z.string().describe("The secret to authenticate with. It can't be retrieved later"),
    }),
    refusals: ["missing_required_field"],
    handle: async ({ ctx, key, body }) => {
      const { id, token } = await createApiKey(ctx, { ...body, creatorId: key.adminId });
      return { id, object: "api_key" as const, token };
    },
  }),

  update: defineEndpoint("PATCH", "/api-keys/{id}", {
    summary: "Rename an API key",
    privilege: "api_controls",
    params: ApiKeyPath,
    body: z.object({ name: Name }),
    response: z.object({
      object: z.literal("api_key").describe("Object type"),
      id: z.uuid().describe("The key's ID, not the secret"),
    }),
    handle: async ({ ctx, params: { id }, body: { name } }) => {
      await changeApiKey(ctx, id, { name });
      return { object: "api_key" as const, id };
    },
  }),

  delete: defineEndpoint("DELETE", "/api-keys/{id}", {
    summary: "Delete an API key",
    description: "Revokes the key immediately and cancels its scheduled emails.",
    privilege: "api_controls",
    params: ApiKeyPath,
    response: z.object({
      object: z.literal("api_key").describe("Object type"),
      id: z.uuid().describe("The key's ID, not the secret"),
      deleted: z.literal(true).describe("Always `true`"),
    }),
    handle: async ({ ctx, params: { id } }) => {
      await revokeApiKey(ctx, id);
      return { object: "api_key" as const, id, deleted: true as const };
    },
  }),
};

/** Advances the test clock, so that scheduled test emails and retries are due sooner. */
export const testClockApi = {
  advance: defineEndpoint("POST", "/test/clock", {
    summary: "Advance the test clock",
    description:
      "Brings forward everything planned for the company's test data: scheduled emails, retries and their expiry, webhook retries, and the expiry of idempotency keys. What becomes due happens within a second. Live data isn't affected. Each call advances the clock again.",
    permission: "test",
    privilege: null,
    body: z.object({ advance: Duration }),
    response: z.object({
      object: z.literal("test_clock").describe("Object type"),
      advanced_seconds: z.number().int().describe("How far the clock moved"),
      scheduled_emails: z.number().int().describe("Scheduled emails that moved"),
      retries: z.number().int().describe("Recipients whose next attempt moved"),
      webhook_events: z.number().int().describe("Webhook events whose next attempt moved"),
    }),
    refusals: ["missing_required_field"],
    handle: async ({ ctx, body: { advance: seconds } }) => {
      const { scheduledEmails, retries, webhookEvents } = await advanceClock(ctx, seconds);
      return {
        object: "test_clock" as const,
        advanced_seconds: seconds,
        scheduled_emails: scheduledEmails,
        retries,
        webhook_events: webhookEvents,
      };
    },
  }),
};

/** A key as the console shows it. */
const shownKey = (key: ShownKey) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  permission: key.permission,
  domain: key.domain,
  domainId: key.domainId,
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
});

/** The company's API keys, with their creators. */
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
      return countedList(page, shownKey);
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
    async handle({ ctx, params }) {
      const { key, creatorPrivileges, scheduled } = await getKeyWithCreator(ctx, params.id);
      const blocked = await getBlockedRequests(ctx, params.id);
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
        blocked: blocked && { ...blocked, lastAt: consoleTimestamp(blocked.lastAt) },
      };
    },
  }),

  update: change({
    privilege: "api_controls",
    params: ApiKeyPath,
    body: z.object({
      name: z.string().optional(),
      permission: z.enum(KEY_PERMISSIONS).optional(),
      domainId: z.string().nullable().optional(),
      allowedAddresses: z.array(z.string()).optional(),
    }),
    async handle({ ctx, params: { id }, body }) {
      await changeApiKey(ctx, id, body);
      return { id };
    },
  }),

  revoke: change({
    privilege: "api_controls",
    params: ApiKeyPath,
    async handle({ ctx, params: { id } }) {
      await revokeApiKey(ctx, id);
      return { id };
    },
  }),
});
