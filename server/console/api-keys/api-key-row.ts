import { z } from "zod";

import { KEY_PERMISSIONS } from "#server/core/access/api-keys/api-keys.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ShownKey } from "#server/core/access/api-keys/key-list.ts";

export const NOT_FOUND = "API key not found";
export const ApiKeyPath = z.object({ id: z.uuid() });

const moment = z.string().nullable();

/** An API key without its token, which only create-api-key.ts returns. */
export const ApiKeyRow = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe("The public part of the token"),
  permission: z.enum(KEY_PERMISSIONS),
  domain: z.string().nullable().describe("The only domain the key can send from"),
  allowed_addresses: z.array(z.string()).describe("The key's own allow-list; empty allows all"),
  creator: z.object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    is_disabled: z.boolean().describe("If true, requests with the key are rejected"),
  }),
  created_at: z.string(),
  last_used_at: moment,
  revoked_at: moment,
});

export function apiKeyRow(key: ShownKey): z.input<typeof ApiKeyRow> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    permission: key.permission,
    domain: key.domain,
    allowed_addresses: key.allowedAddresses,
    creator: {
      id: key.creatorId,
      name: key.creatorName,
      email: key.creatorEmail,
      is_disabled: key.creatorDisabledAt !== null,
    },
    created_at: consoleTimestamp(key.createdAt),
    last_used_at: key.lastUsedAt && consoleTimestamp(key.lastUsedAt),
    revoked_at: key.revokedAt && consoleTimestamp(key.revokedAt),
  };
}
