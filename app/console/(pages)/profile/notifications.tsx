"use client";

import { Checkbox, Skeleton, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { useMe } from "#app/console/privileges.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { useAction } from "#app/console/ui/use-action.ts";

import { KIND_LABELS } from "./notification-labels.ts";
import {
  changeNotifications,
  type NotificationKind,
  type Notifications as Settings,
  notificationsQuery,
  type NotificationScope,
} from "./notification-queries.ts";
import { NotificationUrlSettings } from "./notification-url.tsx";
import classes from "./notifications.module.css";

/** What the admin is notified about in the company, and an operator about the server. */
export function Notifications() {
  const notifications = useQuery(notificationsQuery);
  const company = useMe()?.company.name ?? "your company";
  return (
    <QueryView query={notifications} noun="your notifications" skeleton={<Skeleton height={300} />}>
      {({ company: ofCompany, server }) => (
        <Stack gap="md">
          <Panel title={`Notifications about ${company}`}>
            <NotificationSettings scope="company" settings={ofCompany} />
          </Panel>
          {server && (
            <Panel title="Alarms about this server">
              <NotificationSettings scope="server" settings={server} />
            </Panel>
          )}
        </Stack>
      )}
    </QueryView>
  );
}

type SettingsProps = { scope: NotificationScope; settings: Settings };

function NotificationSettings({ scope, settings }: SettingsProps) {
  if (settings.kinds.length === 0)
    return (
      <Text c="dimmed">
        There are notifications for admins who manage domains, mailboxes, groups, or webhooks.
      </Text>
    );
  return (
    <Stack gap="lg">
      <KindTable scope={scope} settings={settings} />
      <NotificationUrlSettings scope={scope} url={settings.url} />
    </Stack>
  );
}

type Channel = "email" | "url";

/** Each change is saved at once, and can be undone. */
function KindTable({ scope, settings }: SettingsProps) {
  const queryClient = useQueryClient();
  const hasUrl = settings.url !== null;
  const channels: [Channel, string][] = [
    ["email", "Email"],
    ...(hasUrl ? [["url", "URL"] as [Channel, string]] : []),
  ];
  const offIn = (channel: Channel) =>
    settings.kinds.filter((one) => !one[channel]).map(({ kind }) => kind);
  const save = (channel: Channel, off: NotificationKind[]) =>
    changeNotifications({
      scope,
      ...(channel === "email" ? { email_off: off } : { url_off: off }),
    });
  const { start } = useAction({
    call: ({ channel, kind, isOn }: { channel: Channel; kind: NotificationKind; isOn: boolean }) =>
      save(channel, [...offIn(channel).filter((one) => one !== kind), ...(isOn ? [] : [kind])]),
    invalidates: [notificationsQuery.queryKey],
    success: (_, { kind, isOn }) => `${KIND_LABELS[kind].label} turned ${isOn ? "on" : "off"}`,
    undo: ({ channel }) => save(channel, offIn(channel)),
  });
  function change(channel: Channel, kind: NotificationKind, isOn: boolean) {
    // Shown at once; a failure refetches.
    queryClient.setQueryData(
      notificationsQuery.queryKey,
      (all) =>
        all && {
          ...all,
          [scope]: {
            ...settings,
            kinds: settings.kinds.map((one) =>
              one.kind === kind ? { ...one, [channel]: isOn } : one,
            ),
          },
        },
    );
    start({ channel, kind, isOn });
  }
  return (
    <table className={classes.kinds}>
      <VisuallyHidden component="caption">What you’re notified about</VisuallyHidden>
      <thead>
        <tr>
          <th scope="col">Notify me about</th>
          {channels.map(([channel, label]) => (
            <th key={channel} scope="col" className={classes.channel}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {settings.kinds.map((one) => (
          <tr key={one.kind}>
            <th scope="row">
              {KIND_LABELS[one.kind].label}
              <Text size="sm" c="dimmed" fw={400}>
                {KIND_LABELS[one.kind].help}
              </Text>
            </th>
            {channels.map(([channel, label]) => (
              <td key={channel} className={classes.channel}>
                {(channel === "email" || one.kind !== "summary") && (
                  <Checkbox
                    aria-label={`${KIND_LABELS[one.kind].label}: ${label}`}
                    checked={one[channel]}
                    onChange={({ currentTarget }) =>
                      change(channel, one.kind, currentTarget.checked)
                    }
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
