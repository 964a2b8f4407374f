import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { countFailed } from "#server/console/webhooks/count-failed.ts";
import type { getWebhookEvent } from "#server/console/webhooks/get-webhook-event.ts";
import type { listAttempts } from "#server/console/webhooks/list-attempts.ts";
import type { listWebhookEvents } from "#server/console/webhooks/list-webhook-events.ts";
import type { replayEvent } from "#server/console/webhooks/replay-event.ts";
import type { replayFailed } from "#server/console/webhooks/replay-failed.ts";

import { type EventType, useInvalidateWebhook } from "./queries.ts";

/** Short, because admins watch for the result of a test event. */
const REFRESH_MS = 3_000;
export const EVENTS_PER_PAGE = 20;
/** The server keeps this many attempts per event. */
const ATTEMPTS_MAX = 50;

export type EventRow = Answer<typeof listWebhookEvents>["data"][number];
export type EventStatus = EventRow["status"];
export type EventDetail = Answer<typeof getWebhookEvent>;
export type Attempt = Answer<typeof listAttempts>["data"][number];

export type EventFilters = { status?: EventStatus; type?: EventType };

export const eventsQuery = (id: string, place: PageCursor, filters: EventFilters) =>
  queryOptions({
    queryKey: ["webhook", id, "events", place, filters],
    queryFn: () =>
      call<typeof listWebhookEvents>("GET", "/console/api/webhooks/{id}/events", {
        params: { id },
        query: { ...place, ...filters, limit: String(EVENTS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

type EventPath = { id: string; event_id: string };

export const eventQuery = (params: EventPath) =>
  queryOptions({
    queryKey: ["webhook", params.id, "event", params.event_id],
    queryFn: () =>
      call<typeof getWebhookEvent>("GET", "/console/api/webhooks/{id}/events/{event_id}", {
        params,
      }),
    refetchInterval: REFRESH_MS,
  });

export const attemptsQuery = (params: EventPath) =>
  queryOptions({
    queryKey: ["webhook", params.id, "event", params.event_id, "attempts"],
    queryFn: () =>
      call<typeof listAttempts>("GET", "/console/api/webhooks/{id}/events/{event_id}/attempts", {
        params,
        query: { limit: String(ATTEMPTS_MAX) },
      }),
    refetchInterval: REFRESH_MS,
  });

/** Fetched only when the replay dialog opens, because counting is slow. */
export const failedCountQuery = (id: string) =>
  queryOptions({
    queryKey: ["webhook", id, "failed count"],
    queryFn: () =>
      call<typeof countFailed>("GET", "/console/api/webhooks/{id}/failed-count", {
        params: { id },
      }),
  });

export const useReplayEvent = (id: string) =>
  useAction({
    call: (eventId: string) =>
      call<typeof replayEvent>("POST", "/console/api/webhooks/{id}/events/{event_id}/replay", {
        params: { id, event_id: eventId },
      }),
    invalidates: [["webhooks"], ["webhook", id]],
  });

export function useReplayFailed(id: string) {
  const onSuccess = useInvalidateWebhook(id);
  return useMutation({
    mutationFn: () =>
      call<typeof replayFailed>("POST", "/console/api/webhooks/{id}/replay-failed", {
        params: { id },
      }),
    onSuccess,
  });
}
