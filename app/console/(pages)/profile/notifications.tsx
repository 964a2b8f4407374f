"use client";

import { Checkbox, Skeleton, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useMe } from "#app/console/privileges.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { KIND_LABELS } from "./notification-labels.ts";
import {
  type NotificationChannel,
  type NotificationKind,
  type Notifications as Settings,
  notificationsQuery,
  type NotificationScope,
  useChangeChannel,
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

/** Each change is saved at once, and can be undone. */
function KindTable({ scope, settings }: SettingsProps) {
  const change = useChangeChannel(scope);
  const channels: [NotificationChannel, string][] = [["email", "Email"]];
  if (settings.url !== null) channels.push(["url", "URL"]);

  function turn(channel: NotificationChannel, kind: NotificationKind, isOn: boolean) {
    const before = settings.kinds.filter((one) => !one[channel]).map(({ kind }) => kind);
    const off = [...before.filter((one) => one !== kind), ...(isOn ? [] : [kind])];
    change({ channel, off }, () =>
      toast(`${KIND_LABELS[kind].label} turned ${isOn ? "on" : "off"}`, {
        undo: () => change({ channel, off: before }),
      }),
    );
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
                    onChange={({ currentTarget }) => turn(channel, one.kind, currentTarget.checked)}
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
