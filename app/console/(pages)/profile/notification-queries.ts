import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useOptimisticUpdate } from "#app/console/optimistic-update.ts";

const REFRESH_MS = 15_000;

export type Notifications = AnswerOf<"profile.getNotifications">["company"];
export type NotificationUrl = NonNullable<Notifications["url"]>;
export type NotificationKind = Notifications["kinds"][number]["kind"];
export type NotificationScope = "company" | "server";

type Change = InputOf<"profile.updateNotifications">["body"];

export const notificationsQuery = queryOf(
  "profile.getNotifications",
  {},
  { refetchInterval: REFRESH_MS },
);

export type NotificationChannel = "email" | "url";
type ChannelChange = { channel: NotificationChannel; off: NotificationKind[] };

/** Changes which notifications a channel doesn't get. Updates optimistically. */
export const useChangeChannel = (scope: NotificationScope) =>
  useOptimisticUpdate(
    notificationsQuery.queryKey,
    ({ channel, off }: ChannelChange) =>
      changeNotifications({
        scope,
        ...(channel === "email" ? { emailOff: off } : { urlOff: off }),
      }),
    (now: AnswerOf<"profile.getNotifications">, { channel, off }) => {
      const settings = now[scope];
      if (!settings) return now;
      const kinds = settings.kinds.map((one) => ({ ...one, [channel]: !off.includes(one.kind) }));
      return { ...now, [scope]: { ...settings, kinds } };
    },
  );

export const changeNotifications = (body: Change) =>
  change("profile.updateNotifications", { body });

export const sendTest = (scope: NotificationScope) =>
  change("profile.sendTestNotification", { body: { scope } });
