import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { useOptimisticUpdate } from "#app/console/optimistic-update.ts";
import type { getNotifications } from "#server/console/profile/get-notifications.ts";
import type { sendTestNotification } from "#server/console/profile/send-test-notification.ts";
import type { updateNotifications } from "#server/console/profile/update-notifications.ts";

const REFRESH_MS = 15_000;

export type Notifications = Answer<typeof getNotifications>["company"];
export type NotificationUrl = NonNullable<Notifications["url"]>;
export type NotificationKind = Notifications["kinds"][number]["kind"];
export type NotificationScope = "company" | "server";

type Change = z.input<NonNullable<(typeof updateNotifications)["body"]>>;

export const notificationsQuery = queryOptions({
  queryKey: ["notifications"],
  queryFn: () => call<typeof getNotifications>("GET", "/console/api/profile/notifications", {}),
  refetchInterval: REFRESH_MS,
});

export type NotificationChannel = "email" | "url";
type ChannelChange = { channel: NotificationChannel; off: NotificationKind[] };

/** Changes which notifications a channel doesn't get. Updates optimistically. */
export const useChangeChannel = (scope: NotificationScope) =>
  useOptimisticUpdate(
    notificationsQuery.queryKey,
    ({ channel, off }: ChannelChange) =>
      changeNotifications({
        scope,
        ...(channel === "email" ? { email_off: off } : { url_off: off }),
      }),
    (now: Answer<typeof getNotifications>, { channel, off }) => {
      const settings = now[scope];
      if (!settings) return now;
      const kinds = settings.kinds.map((one) => ({ ...one, [channel]: !off.includes(one.kind) }));
      return { ...now, [scope]: { ...settings, kinds } };
    },
  );

export const changeNotifications = (body: Change) =>
  call<typeof updateNotifications>("PATCH", "/console/api/profile/notifications", { body });

export const sendTest = (scope: NotificationScope) =>
  call<typeof sendTestNotification>("POST", "/console/api/profile/notifications/test", {
    body: { scope },
  });
