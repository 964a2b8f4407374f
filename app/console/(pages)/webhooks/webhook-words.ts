import type { Meaning } from "#app/console/ui/status.tsx";

import type { EventStatus } from "./event-queries.ts";
import type { WebhookRow } from "./queries.ts";

type State = { word: string; meaning: Meaning };

export function stateOf({
  status,
  disabled_for_failures: forFailures,
  failures,
}: Pick<WebhookRow, "status" | "disabled_for_failures" | "failures">): State {
  if (status === "disabled") return { word: "Disabled", meaning: forFailures ? "failed" : "none" };
  return failures > 0
    ? { word: "Failing", meaning: "waiting" }
    : { word: "Enabled", meaning: "done" };
}

/** The word of every status of an event, and what it means to its receiver. */
export const eventStates: Record<EventStatus, State> = {
  pending: { word: "Waiting", meaning: "informing" },
  attempting: { word: "Retrying", meaning: "waiting" },
  success: { word: "Delivered", meaning: "done" },
  failed: { word: "Failed", meaning: "failed" },
};

/** As many as the server counts of a day. */
const COUNTED_MAX = 10_000;

const number = new Intl.NumberFormat("en");

/** "1,204 delivered, 3 failed". */
export function healthInWords({ delivered, failed, waiting }: WebhookRow["health"]): string {
  const parts = [
    [delivered, "delivered"],
    [failed, "failed"],
    [waiting, "waiting"],
  ] as const;
  const told = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${number.format(count)} ${word}`);
  if (told.length === 0) return "No events";
  const isCut = delivered + failed + waiting >= COUNTED_MAX;
  return isCut ? `${told.join(", ")} of the newest 10,000` : told.join(", ");
}

/** "1 event", "12 events", "10,000 or more events". */
export function eventCount(count: number): string {
  if (count >= COUNTED_MAX) return `${number.format(COUNTED_MAX)} or more events`;
  return count === 1 ? "1 event" : `${number.format(count)} events`;
}

export const failuresInWords = (failures: number) =>
  failures === 1 ? "1 failed attempt" : `${number.format(failures)} failed attempts in a row`;

/** The endpoint as it is recognised: its host, and what comes behind it. */
export function partsOf(endpoint: string): { host: string; rest: string } {
  const { host, pathname, search } = new URL(endpoint);
  const rest = pathname + search;
  return { host, rest: rest === "/" ? "" : rest };
}
