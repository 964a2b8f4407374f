import type { Meaning } from "#app/console/ui/status.tsx";

import type { ApiKeyRow } from "./queries.ts";

export const permissions = {
  full_access: { word: "Full access", help: "Everything the API can do, as far as you may." },
  sending_access: {
    word: "Sending access",
    help: "Sends emails and nothing else. Enough for most programs.",
  },
} as const;

/** "Full access", "Sends from northwind.com". */
export const accessInWords = ({ permission, domain }: ApiKeyRow): string =>
  domain === null ? permissions[permission].word : `Sends from ${domain}`;

/** Whether calls with the key are taken. */
export function stateOf(key: ApiKeyRow): { word: string; meaning: Meaning } {
  if (key.revoked_at !== null) return { word: "Revoked", meaning: "none" };
  if (key.creator.is_disabled) return { word: "Refused", meaning: "failed" };
  return { word: "Active", meaning: "done" };
}

export const creatorOf = ({ creator }: ApiKeyRow): string => creator.name || creator.email;

/** Entries of an allow-list as somebody types them: one a line, or with commas. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
