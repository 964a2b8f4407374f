import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { toast, useChange, useOptimisticUpdate } from "#app/console/ui/actions.tsx";
import { useMe } from "#app/console/session.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

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

type SettingsProps = { scope: NotificationScope; settings: NotificationAnswer };

function NotificationSettings({ scope, settings }: SettingsProps) {
  if (settings.kinds.length === 0)
    return (
      <Text c="dimmed">
        Nothing to set up. Only admins who manage domains, mailboxes, groups, or webhooks get
        notifications.
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

type UrlProps = { scope: NotificationScope };

/** The URL that notices are posted to. Once saved, only its host is shown. */
function NotificationUrlSettings({ scope, url }: UrlProps & { url: NotificationUrl | null }) {
  const [isReplacing, setIsReplacing] = useState(false);
  if (url && !isReplacing)
    return <SavedUrl scope={scope} url={url} onReplace={() => setIsReplacing(true)} />;
  return (
    <UrlForm
      scope={scope}
      format={url?.format ?? "slack"}
      onClose={url ? () => setIsReplacing(false) : undefined}
      onSaved={() => setIsReplacing(false)}
    />
  );
}

type UrlFormProps = UrlProps & {
  format: "slack" | "json";
  onClose: (() => void) | undefined;
  onSaved: () => void;
};

function UrlForm({ scope, format, onClose, onSaved }: UrlFormProps) {
  const saving = useChange("profile.updateNotifications", {
    invalidates: ["profile.getNotifications"],
    success: "URL saved. Send a test to check it.",
    onDone: onSaved,
  });
  const form = useForm({
    initialValues: { url: "", urlFormat: format },
    labels: { url: "URL", urlFormat: "Format" },
    checks: { url: required },
    // The URL is often secret.
    draft: null,
    send: ({ url, urlFormat: chosen }) =>
      saving.run({ body: { scope, url, urlFormat: chosen === "json" ? "json" : "slack" } }),
  });
  return (
    <Form
      form={form}
      maxWidth={480}
      actions={
        <Group gap="xs">
          <SubmitButton form={form}>Save URL</SubmitButton>
          {onClose && (
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          )}
        </Group>
      }
    >
      <TextInput
        {...form.field("url")}
        description="Posthouse also posts notifications to this URL, for example a Slack incoming webhook. After you save it, only the host is shown."
        placeholder="https://hooks.slack.com/services/…"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        {...form.field("urlFormat")}
        data={Object.entries(FORMAT_LABELS).map(([value, label]) => ({ value, label }))}
      />
    </Form>
  );
}

type SavedUrlProps = UrlProps & { url: NotificationUrl; onReplace: () => void };

function SavedUrl({ scope, url, onReplace }: SavedUrlProps) {
  const test = useChange("profile.sendTestNotification", {
    invalidates: ["profile.getNotifications"],
    onDone: ({ error }) =>
      error === null ? toast("Test sent") : toast(`The test failed. ${error}`, { isError: true }),
  });
  const removal = useChange("profile.updateNotifications", {
    invalidates: ["profile.getNotifications"],
    success: "URL removed",
  });
  return (
    <Stack gap="xs">
      <Text fw={500}>URL</Text>
      <Text style={{ overflowWrap: "anywhere" }}>
        https://{url.host}/… ({FORMAT_LABELS[url.format]})
      </Text>
      <UrlState url={url} />
      <Group gap="xs">
        <Button
          variant="default"
          aria-busy={test.isPending}
          onClick={() => test.start({ body: { scope } })}
        >
          {test.isPending ? "Sending test…" : "Send test"}
        </Button>
        <Button variant="default" onClick={onReplace}>
          Replace URL
        </Button>
        <ConfirmedButton
          label="Remove URL"
          title="Remove the URL?"
          onConfirm={() => removal.run({ body: { scope, url: null } })}
        >
          Nothing more is posted to {url.host}
          {url.waiting > 0 && `, and ${pluralize(url.waiting, "waiting notification")} won’t be`}.
          Emails aren’t affected.
        </ConfirmedButton>
      </Group>
    </Stack>
  );
}

function UrlState({ url }: { url: NotificationUrl }) {
  if (url.failingSince !== null)
    return (
      <div>
        <Status tone="failed" label="Failing" /> since <RelativeTime at={url.failingSince} />.{" "}
        {url.lastError} Posthouse retries for a day
        {url.waiting > 0 && `; ${pluralize(url.waiting, "notification")} waiting`}.
      </div>
    );
  if (url.lastPostedAt === null) return <Status tone="none" label="Not used yet" />;
  return (
    <div>
      <Status tone="done" label="Working" />, last used <RelativeTime at={url.lastPostedAt} />
    </div>
  );
}

const KIND_LABELS: Record<NotificationKind, { label: string; help: string }> = {
  domain: {
    label: "Domains",
    help: "DNS records that went missing, ownership, and new DKIM keys.",
  },
  webhook: { label: "Webhooks", help: "Webhooks that keep failing or were disabled." },
  on_hold: {
    label: "Mail on hold",
    help: "Mailboxes whose outgoing mail was put on hold, because they may be compromised.",
  },
  quota: { label: "Storage", help: "Mailboxes that are full or nearly full." },
  group: { label: "Groups", help: "Group members that messages can’t be delivered to." },
  certificate: { label: "Certificates", help: "Certificates that expire or can’t be renewed." },
  backup: { label: "Backups", help: "Backups that failed or are overdue." },
  server: { label: "Other alarms", help: "Delivery, disk space, processes, DNS, and the ledger." },
  summary: { label: "Daily summary", help: "What changed since the day before, by email only." },
};

const FORMAT_LABELS = {
  slack: "Slack, Mattermost or Rocket.Chat",
  json: "JSON",
} as const;

const REFRESH_MS = 15_000;

type NotificationAnswer = AnswerOf<"profile.getNotifications">["company"];

type NotificationUrl = NonNullable<NotificationAnswer["url"]>;

type NotificationKind = NotificationAnswer["kinds"][number]["kind"];

type NotificationScope = "company" | "server";

const notificationsQuery = queryOf("profile.getNotifications", {}, { refetchInterval: REFRESH_MS });

type NotificationChannel = "email" | "url";

type ChannelChange = { channel: NotificationChannel; off: NotificationKind[] };

/** Changes which notifications a channel doesn't get. Updates optimistically. */
const useChangeChannel = (scope: NotificationScope) =>
  useOptimisticUpdate(
    notificationsQuery.queryKey,
    ({ channel, off }: ChannelChange) =>
      change("profile.updateNotifications", {
        body: { scope, ...(channel === "email" ? { emailOff: off } : { urlOff: off }) },
      }),
    (now: AnswerOf<"profile.getNotifications">, { channel, off }) => {
      const settings = now[scope];
      if (!settings) return now;
      const kinds = settings.kinds.map((one) => ({ ...one, [channel]: !off.includes(one.kind) }));
      return { ...now, [scope]: { ...settings, kinds } };
    },
  );
