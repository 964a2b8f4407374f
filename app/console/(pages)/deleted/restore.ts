import { change } from "#app/console/console-client.ts";
import { useMe } from "#app/console/session.ts";
import { dateFormatter, pluralize } from "#app/console/ui/format.ts";
import { useNow } from "#app/console/ui/time.tsx";

/** What a deletion or restoration changes. */
export const DELETED_KEYS = [
  "deletedItems",
  "mailboxes.list",
  "groups.list",
  "domains.list",
  "apiKeys.list",
  "inboundAddresses",
  "settings.getUsage",
  "sessions.getMe",
] as const;

export const restoreItem = (id: string) => change("deletedItems.restore", { params: { id } });

const DAY_MS = 86_400_000;

const formatDate = dateFormatter({ day: "numeric", month: "long", year: "numeric" });

/** "You can restore it for 20 days, until December 14, 2026. After that it’s deleted permanently." */
export function useRestorableUntil(what: "it" | "them" = "it"): string {
  const now = useNow().getTime();
  const days = useMe()?.deletedKeptDays;
  if (days === undefined) return `You can restore ${what} for a while, on the Deleted page.`;
  const until = formatDate(new Date(now + days * DAY_MS));
  const is = what === "it" ? "it’s" : "they’re";
  return `You can restore ${what} for ${pluralize(days, "day")}, until ${until}. After that ${is} deleted permanently.`;
}
