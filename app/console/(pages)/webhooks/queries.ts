import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { createWebhook } from "#server/console/webhooks/create-webhook.ts";
import type { deleteWebhook } from "#server/console/webhooks/delete-webhook.ts";
import type { getSigningSecret } from "#server/console/webhooks/get-signing-secret.ts";
import type { getWebhook } from "#server/console/webhooks/get-webhook.ts";
import type { listWebhooks } from "#server/console/webhooks/list-webhooks.ts";
import type { rotateSigningSecret } from "#server/console/webhooks/rotate-signing-secret.ts";
import type { sendTestEvent } from "#server/console/webhooks/send-test-event.ts";
import type { updateWebhook } from "#server/console/webhooks/update-webhook.ts";

const REFRESH_MS = 5_000;
/** A company can have ten webhooks. */
const ROWS_MAX = 10;

export type WebhookRow = Answer<typeof listWebhooks>["data"][number];
export type WebhookDetail = Answer<typeof getWebhook>;
export type EventType = WebhookRow["events"][number];

export type WebhookFields = { endpoint: string; events: EventType[] };

export const WEBHOOK_SORTS = ["-created", "endpoint"] as const;

export const webhooksQuery = (place: PageCursor, sort: SortOf<typeof WEBHOOK_SORTS>) =>
  queryOptions({
    queryKey: ["webhooks", place, sort],
    queryFn: () =>
      call<typeof listWebhooks>("GET", "/console/api/webhooks", {
        query: { ...place, sort, limit: String(ROWS_MAX) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ["webhook", id],
    queryFn: () => call<typeof getWebhook>("GET", "/console/api/webhooks/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

export function useCreateWebhook() {
  const onSuccess = useInvalidateWebhooks();
  return useMutation({
    mutationFn: (body: WebhookFields) =>
      call<typeof createWebhook>("POST", "/console/api/webhooks", { body }),
    onSuccess,
  });
}

/** An action, so that the secret isn't kept in the query cache. */
export const useRevealSecret = (id: string) =>
  useAction({
    call: () =>
      call<typeof getSigningSecret>("GET", "/console/api/webhooks/{id}/signing-secret", {
        params: { id },
      }),
  });

export const useRotateSecret = (id: string) =>
  useMutation({
    mutationFn: () =>
      call<typeof rotateSigningSecret>("POST", "/console/api/webhooks/{id}/signing-secret/rotate", {
        params: { id },
      }),
  });

function useInvalidateWebhooks(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["webhooks"] });
}

/** The webhook and its row in the list. */
export function useInvalidateWebhook(id: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const invalidateList = useInvalidateWebhooks();
  return () =>
    Promise.all([invalidateList(), queryClient.invalidateQueries({ queryKey: ["webhook", id] })]);
}

export function useUpdateWebhook(id: string) {
  const onSuccess = useInvalidateWebhook(id);
  return useMutation({
    mutationFn: (body: Partial<WebhookFields> & { status?: WebhookRow["status"] }) =>
      call<typeof updateWebhook>("PATCH", "/console/api/webhooks/{id}", { params: { id }, body }),
    onSuccess,
  });
}

export const setWebhookStatus = (id: string, status: WebhookRow["status"]) =>
  call<typeof updateWebhook>("PATCH", "/console/api/webhooks/{id}", {
    params: { id },
    body: { status },
  });

export function useDeleteWebhook(id: string) {
  const onSuccess = useInvalidateWebhooks();
  return useMutation({
    mutationFn: () =>
      call<typeof deleteWebhook>("DELETE", "/console/api/webhooks/{id}", { params: { id } }),
    onSuccess,
  });
}

/** @param onSent receives the URL of the event's page */
export const useSendTestEvent = (onSent: (url: string) => void) =>
  useAction({
    call: (id: string) =>
      call<typeof sendTestEvent>("POST", "/console/api/webhooks/{id}/test", { params: { id } }),
    onDone: ({ event_id: event }, id) => onSent(`/console/webhooks/${id}/events/${event}`),
  });

export const useEnableWebhook = () =>
  useAction({
    call: ({ id }: Pick<WebhookRow, "id" | "endpoint">) => setWebhookStatus(id, "enabled"),
    invalidates: [["webhooks"], ["webhook"]],
    success: (_, { endpoint }) => `Webhook at ${new URL(endpoint).host} enabled`,
  });
