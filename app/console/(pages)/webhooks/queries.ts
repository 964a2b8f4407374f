import { type AnswerOf, change } from "#app/console/console-client.ts";
import { useAction, useChange } from "#app/console/ui/actions.tsx";
import type { WebhookEventType } from "#server/universal/event-types.ts";

export type WebhookRow = AnswerOf<"webhooks.list">["data"][number];
export type WebhookDetail = AnswerOf<"webhooks.get">;
export type WebhookFields = { endpoint: string; events: WebhookEventType[] };

/** Short, because admins watch for the result of a test event. */
export const EVENTS_REFRESH_MS = 3_000;

/** Webhooks, their events and attempts. */
const WEBHOOKS = ["webhooks", "webhookEvents"] as const;

export const useUpdateWebhook = () => useChange("webhooks.update", { invalidates: WEBHOOKS });

export const useEnableWebhook = () =>
  useAction({
    call: ({ id }: Pick<WebhookRow, "id" | "endpoint">) =>
      change("webhooks.update", { params: { id }, body: { status: "enabled" } }),
    invalidates: WEBHOOKS,
    success: (_, { endpoint }) => `Webhook at ${new URL(endpoint).host} enabled`,
  });

/** @param onSent receives the URL of the event's page */
export const useSendTestEvent = (onSent: (url: string) => void) =>
  useChange("webhooks.sendTestEvent", {
    onDone: ({ eventId: event }, { params: { id } }) =>
      onSent(`/console/webhooks/${id}/events/${event}`),
  });

export const useReplayEvent = () =>
  useChange("webhookEvents.replayEvent", { invalidates: WEBHOOKS });

export const useReplayFailed = () =>
  useChange("webhookEvents.replayFailed", { invalidates: WEBHOOKS });
