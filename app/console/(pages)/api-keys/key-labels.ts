import type { StatusTone } from "#app/console/ui/status.tsx";

import type { ApiKeyRow } from "./queries.ts";

export const permissions = {
  full_access: {
    label: "Full access",
    help: "Everything the API can do, within your own privileges.",
  },
  sending_access: {
    label: "Sending access",
    help: "Can only send emails. Enough for most applications.",
  },
  test: {
    label: "Test",
    help: "Nothing is delivered: emails are simulated and kept apart from live ones.",
  },
} as const;

/** "Full access" or "Sending from northwind.com". */
export const accessLabel = ({ permission, domain }: ApiKeyRow): string =>
  domain === null ? permissions[permission].label : `Sending from ${domain}`;

export function keyStatus(key: ApiKeyRow): { label: string; tone: StatusTone } {
  if (key.revokedAt !== null) return { label: "Revoked", tone: "none" };
  if (key.creator.isDisabled) return { label: "Disabled", tone: "failed" };
  return { label: "Active", tone: "done" };
}

export const creatorName = ({ creator }: ApiKeyRow): string => creator.name || creator.email;
