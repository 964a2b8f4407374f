import { Text } from "@mantine/core";

import type { AnswerOf } from "#app/console/console-client.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";
import {
  EVENT_TYPES,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from "#server/universal/event-types.ts";

import type { WebhookRow } from "./queries.ts";

type State = { label: string; tone: StatusTone };

export function webhookStatus({
  status,
  disabledForFailures: forFailures,
  failures,
}: Pick<WebhookRow, "status" | "disabledForFailures" | "failures">): State {
  if (status === "disabled") return { label: "Disabled", tone: forFailures ? "failed" : "none" };
  return failures > 0 ? { label: "Failing", tone: "waiting" } : { label: "Enabled", tone: "done" };
}

export const EVENT_STATUSES = {
  pending: { label: "Pending", tone: "info" },
  attempting: { label: "Retrying", tone: "waiting" },
  success: { label: "Delivered", tone: "done" },
  failed: { label: "Failed", tone: "failed" },
} satisfies Record<AnswerOf<"webhookEvents.getEvent">["status"], State>;

/** The server stops counting here. */
const COUNTED_MAX = 10_000;

/** "1,204 delivered, 3 failed". */
export function healthSummary({ delivered, failed, waiting }: WebhookRow["health"]): string {
  const parts = [
    [delivered, "delivered"],
    [failed, "failed"],
    [waiting, "pending"],
  ] as const;
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`);
  if (counts.length === 0) return "No events";
  const isCut = delivered + failed + waiting >= COUNTED_MAX;
  return isCut ? `${counts.join(", ")} of the latest 10,000` : counts.join(", ");
}

/** "1 event", "12 events", "10,000+ events". */
export function eventCount(count: number): string {
  if (count >= COUNTED_MAX) return `${formatCount(COUNTED_MAX)}+ events`;
  return pluralize(count, "event");
}

export const failureCount = (failures: number) =>
  failures === 1 ? "1 failed attempt" : `${formatCount(failures)} failed attempts in a row`;

/** Splits an endpoint into its host and the rest, which is less prominent. */
export function endpointParts(endpoint: string): { host: string; rest: string } {
  const { host, pathname, search } = new URL(endpoint);
  const rest = pathname + search;
  return { host, rest: rest === "/" ? "" : rest };
}

/** The URL of an endpoint, with its host first. */
export function EndpointName({ endpoint }: { endpoint: string }) {
  const { host, rest } = endpointParts(endpoint);
  return (
    <>
      {host}
      <Text component="span" inherit fw={400} c="dimmed">
        {rest}
      </Text>
    </>
  );
}

const groupOf = (type: WebhookEventType) => EVENT_TYPES[type].webhook.group;

export const EVENT_GROUPS = [...new Set(WEBHOOK_EVENT_TYPES.map(groupOf))].map((name) => ({
  name,
  types: WEBHOOK_EVENT_TYPES.filter((type) => groupOf(type) === name),
}));

/** "All events", "email.sent", or "3 of 16 events". */
export function eventTypeSummary(events: WebhookEventType[]): string {
  if (events.length === WEBHOOK_EVENT_TYPES.length) return "All events";
  return events.length === 1
    ? events[0]!
    : `${events.length} of ${WEBHOOK_EVENT_TYPES.length} events`;
}
