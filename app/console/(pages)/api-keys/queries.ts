import type { AnswerOf } from "#app/console/console-client.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type ApiKeyRow = AnswerOf<"apiKeys.list">["data"][number];
export type ApiKeyDetail = AnswerOf<"apiKeys.get">;
export type KeyChoices = AnswerOf<"apiKeys.getChoices">;

/** Lists and details of API keys, but not the choices for new ones. */
export const API_KEYS = ["apiKeys.list", "apiKeys.get"] as const;

export const KEYS_REFRESH_MS = 10_000;

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
