"use client";

import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { toast, useAction } from "#app/console/ui/actions.tsx";

import { FORMAT_LABELS } from "./notification-labels.ts";
import {
  changeNotifications,
  type NotificationScope,
  notificationsQuery,
  type NotificationUrl,
  sendTest,
} from "./notification-queries.ts";

type UrlProps = { scope: NotificationScope };

/** The URL that notices are posted to. Once saved, only its host is shown. */
export function NotificationUrlSettings({
  scope,
  url,
}: UrlProps & { url: NotificationUrl | null }) {
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

function UrlForm({
  scope,
  format,
  onClose,
  onSaved,
}: UrlProps & {
  format: "slack" | "json";
  onClose: (() => void) | undefined;
  onSaved: () => void;
}) {
  const saving = useAction({
    call: changeNotifications,
    invalidates: [notificationsQuery.queryKey],
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
      saving.run({ scope, url, urlFormat: chosen === "json" ? "json" : "slack" }),
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
        description="Notifications are also posted here, such as to an incoming webhook of Slack. Only its host is shown after you save it."
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

function SavedUrl({
  scope,
  url,
  onReplace,
}: UrlProps & { url: NotificationUrl; onReplace: () => void }) {
  const test = useAction({
    call: () => sendTest(scope),
    invalidates: [notificationsQuery.queryKey],
    onDone: ({ error }) =>
      error === null ? toast("Test sent") : toast(`The test failed. ${error}`, { isError: true }),
  });
  const removal = useAction({
    call: () => changeNotifications({ scope, url: null }),
    invalidates: [notificationsQuery.queryKey],
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
        <Button variant="default" aria-busy={test.isPending} onClick={() => test.start()}>
          {test.isPending ? "Sending test…" : "Send test"}
        </Button>
        <Button variant="default" onClick={onReplace}>
          Replace URL
        </Button>
        <ConfirmedButton label="Remove URL" title="Remove the URL?" onConfirm={() => removal.run()}>
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
