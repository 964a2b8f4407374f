import { keepPreviousData, useMutation } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { type EventType, useInvalidateWebhook, WEBHOOK_KEYS } from "./queries.ts";

/** Short, because admins watch for the result of a test event. */
const REFRESH_MS = 3_000;
export const EVENTS_PER_PAGE = 20;
/** The server keeps this many attempts per event. */
const ATTEMPTS_MAX = 50;

export type EventRow = AnswerOf<"webhookEvents.listEvents">["data"][number];
export type EventStatus = EventRow["status"];
export type EventDetail = AnswerOf<"webhookEvents.getEvent">;
export type Attempt = AnswerOf<"webhookEvents.listAttempts">["data"][number];

export type EventFilters = { status?: EventStatus; type?: EventType };

export const eventsQuery = (id: string, place: PageCursor, filters: EventFilters) =>
  queryOf(
    "webhookEvents.listEvents",
    {
      params: { id },
      query: { ...place, ...filters, limit: String(EVENTS_PER_PAGE) },
    },
    { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData },
  );

type EventPath = { id: string; eventId: string };

export const eventQuery = (params: EventPath) =>
  queryOf(
    "webhookEvents.getEvent",
    {
      params,
    },
    { refetchInterval: REFRESH_MS },
  );

export const attemptsQuery = (params: EventPath) =>
  queryOf(
    "webhookEvents.listAttempts",
    {
      params,
      query: { limit: String(ATTEMPTS_MAX) },
    },
    { refetchInterval: REFRESH_MS },
  );

/** Fetched only when the replay dialog opens, because counting is slow. */
export const failedCountQuery = (id: string) =>
  queryOf("webhookEvents.countFailed", {
    params: { id },
  });

export const useReplayEvent = (id: string) =>
  useAction({
    call: (eventId: string) =>
      change("webhookEvents.replayEvent", {
        params: { id, eventId },
      }),
    invalidates: WEBHOOK_KEYS,
  });

export function useReplayFailed(id: string) {
  const onSuccess = useInvalidateWebhook();
  return useMutation({
    mutationFn: () =>
      change("webhookEvents.replayFailed", {
        params: { id },
      }),
    onSuccess,
  });
}
