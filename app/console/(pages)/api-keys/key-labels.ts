import type { Meaning } from "#app/console/ui/status.tsx";

import type { ApiKeyRow } from "./queries.ts";

export const permissions = {
  full_access: {
    word: "Full access",
    help: "Everything the API can do, within your own privileges.",
  },
  sending_access: {
    word: "Sending access",
    help: "Can only send emails. Enough for most applications.",
  },
} as const;

/** "Full access" or "Sending from northwind.com". */
export const accessLabel = ({ permission, domain }: ApiKeyRow): string =>
  domain === null ? permissions[permission].word : `Sending from ${domain}`;

export function keyStatus(key: ApiKeyRow): { word: string; meaning: Meaning } {
  if (key.revoked_at !== null) return { word: "Revoked", meaning: "none" };
  if (key.creator.is_disabled) return { word: "Disabled", meaning: "failed" };
  return { word: "Active", meaning: "done" };
}

export const creatorName = ({ creator }: ApiKeyRow): string => creator.name || creator.email;
