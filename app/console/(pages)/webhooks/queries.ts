import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { WebhookEventType } from "#server/universal/event-types.ts";

const REFRESH_MS = 5_000;

/** A company can have ten webhooks. */
const ROWS_MAX = 10;

export type WebhookRow = AnswerOf<"webhooks.list">["data"][number];

export type WebhookDetail = AnswerOf<"webhooks.get">;

export type WebhookFields = { endpoint: string; events: WebhookEventType[] };

export const WEBHOOK_SORTS = ["-created", "endpoint"] as const;

export const webhooksQuery = (place: PageCursor, sort: SortOf<typeof WEBHOOK_SORTS>) =>
  listOf("webhooks.list", { ...place, sort, rows: ROWS_MAX }, { refetchInterval: REFRESH_MS });

export const webhookQuery = (id: string) =>
  queryOf("webhooks.get", { params: { id } }, { refetchInterval: REFRESH_MS });

export function useCreateWebhook() {
  const onSuccess = useInvalidateWebhooks();
  return useMutation({
    mutationFn: (body: WebhookFields) => change("webhooks.create", { body }),
    onSuccess,
  });
}

/** An action, so that the secret isn't kept in the query cache. */
export const useRevealSecret = (id: string) =>
  useAction({
    call: () =>
      read("webhooks.getSigningSecret", {
        params: { id },
      }),
  });

export const useRotateSecret = (id: string) =>
  useMutation({
    mutationFn: () =>
      change("webhooks.rotateSigningSecret", {
        params: { id },
      }),
  });

function useInvalidateWebhooks(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["webhooks", "list"] });
}

/** Query keys of a webhook, its events and its row in the list. */
export const WEBHOOK_KEYS = [["webhooks"], ["webhookEvents"]] as const;

export function useInvalidateWebhook(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(WEBHOOK_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export function useUpdateWebhook(id: string) {
  const onSuccess = useInvalidateWebhook();
  return useMutation({
    mutationFn: (body: Partial<WebhookFields> & { status?: WebhookRow["status"] }) =>
      change("webhooks.update", { params: { id }, body }),
    onSuccess,
  });
}

export const setWebhookStatus = (id: string, status: WebhookRow["status"]) =>
  change("webhooks.update", {
    params: { id },
    body: { status },
  });

export function useDeleteWebhook(id: string) {
  const onSuccess = useInvalidateWebhooks();
  return useMutation({
    mutationFn: () => change("webhooks.delete", { params: { id } }),
    onSuccess,
  });
}

/** @param onSent receives the URL of the event's page */
export const useSendTestEvent = (onSent: (url: string) => void) =>
  useAction({
    call: (id: string) => change("webhooks.sendTestEvent", { params: { id } }),
    onDone: ({ eventId: event }, id) => onSent(`/console/webhooks/${id}/events/${event}`),
  });

export const useEnableWebhook = () =>
  useAction({
    call: ({ id }: Pick<WebhookRow, "id" | "endpoint">) => setWebhookStatus(id, "enabled"),
    invalidates: WEBHOOK_KEYS,
    success: (_, { endpoint }) => `Webhook at ${new URL(endpoint).host} enabled`,
  });

/** Short, because admins watch for the result of a test event. */
const EVENTS_REFRESH_MS = 3_000;

export const EVENTS_PER_PAGE = 20;

/** The server keeps this many attempts per event. */
const ATTEMPTS_MAX = 50;

export type EventRow = AnswerOf<"webhookEvents.listEvents">["data"][number];

export type EventStatus = EventRow["status"];

export type EventDetail = AnswerOf<"webhookEvents.getEvent">;

export type EventAttempt = AnswerOf<"webhookEvents.listAttempts">["data"][number];

export type EventFilters = { status?: EventStatus; type?: WebhookEventType };

export const eventsQuery = (id: string, place: PageCursor, filters: EventFilters) =>
  queryOf(
    "webhookEvents.listEvents",
    {
      params: { id },
      query: { ...place, ...filters, limit: String(EVENTS_PER_PAGE) },
    },
    { refetchInterval: EVENTS_REFRESH_MS, placeholderData: keepPreviousData },
  );

type EventPath = { id: string; eventId: string };

export const eventQuery = (params: EventPath) =>
  queryOf(
    "webhookEvents.getEvent",
    {
      params,
    },
    { refetchInterval: EVENTS_REFRESH_MS },
  );

export const attemptsQuery = (params: EventPath) =>
  queryOf(
    "webhookEvents.listAttempts",
    {
      params,
      query: { limit: String(ATTEMPTS_MAX) },
    },
    { refetchInterval: EVENTS_REFRESH_MS },
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
