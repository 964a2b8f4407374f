import { apiKeyPermission } from "#drizzle/schema/index.ts";

/** What an API key can be allowed to do. */
export const KEY_PERMISSIONS = apiKeyPermission.enumValues;
