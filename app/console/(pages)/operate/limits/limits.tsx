"use client";

import { Button, Checkbox, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { LimitSettingRow } from "./setting-row.tsx";

type InstanceChange = AnswerOf<"limits.listSettings">["changes"][number];

export function ServerLimits() {
  const settings = useRead("limits.listSettings", {});
  return (
    <>
      <PageHeader
        title="Limits"
        help="limits"
        description="Changes take effect within two seconds. On the command line, use posthouse settings set."
      />
      <QueryView query={settings} noun="the settings" skeleton={<Skeleton height={720} />}>
        {({ settings, changes }) => (
          <Stack gap="md">
            <Panel>
              <ul>
                {settings.map((setting) => (
                  <LimitSettingRow key={`${setting.name} ${setting.changedAt}`} setting={setting} />
                ))}
              </ul>
            </Panel>
            <ErasePerson />
            <InstanceChanges changes={changes} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

function InstanceChanges({ changes }: { changes: InstanceChange[] }) {
  return (
    <Panel title="Recent changes">
      {changes.length === 0 ? (
        <Text c="dimmed">No changes yet.</Text>
      ) : (
        <Timeline>
          {changes.map((change) => (
            <TimelineEntry
              key={change.id}
              tone="none"
              title={describeChange(change)}
              aside={
                <>
                  {change.actor}, <RelativeTime at={change.createdAt} />
                </>
              }
            />
          ))}
        </Timeline>
      )}
    </Panel>
  );
}

function describeChange({ action, details }: InstanceChange): string {
  const detail = (name: string) => {
    const value = details[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  switch (action) {
    case "setting.changed":
      return `${detail("setting")} changed from ${detail("from")} to ${detail("to")}`;
    case "setting.reset":
      return `${detail("setting")} reset to ${detail("to")}`;
    case "queue.held":
      return `Mail to ${detail("name")} put on hold`;
    case "queue.released":
      return `Mail to ${detail("name")} released`;
    case "queue.retried":
      return `Mail to ${detail("name")} retried (recipients: ${detail("recipients")})`;
    case "queue.dropped":
      return `Mail to ${detail("name")} dropped (recipients: ${detail("recipients")})`;
    default:
      return [action.replaceAll(/[._]/g, " "), detail("name") || detail("email")].join(" ").trim();
  }
}

/** For erasure requests from people outside the appliance, such as newsletter recipients. */
function ErasePerson() {
  const [address, setAddress] = useState("");
  const [keepsSuppressions, setKeepsSuppressions] = useState(true);
  const [isAsking, setIsAsking] = useState(false);
  const erase = useChange("operate.erasePerson");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setIsAsking(address.trim() !== "");
  }
  async function handleConfirm() {
    const body = { address, keepSuppressions: keepsSuppressions };
    const { pseudonym } = await erase.run({ body });
    setAddress("");
    toast(`Data erased. The address now appears as ${pseudonym}.`);
  }

  return (
    <Panel title="Erase a person’s data">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="sm" align="flex-start">
          <Text c="dimmed">
            Deletes the content of emails to and from someone outside this server and replaces their
            address in histories and logs, in all companies. Mail in mailboxes isn’t affected.
          </Text>
          <TextInput
            label="Email address"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            autoComplete="off"
          />
          <Checkbox
            label="Keep the address suppressed, so it receives no more email"
            checked={keepsSuppressions}
            onChange={(event) => setKeepsSuppressions(event.currentTarget.checked)}
          />
          <Button type="submit" variant="default">
            Erase data
          </Button>
        </Stack>
      </form>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Erase the data of ${address}?`}
        confirmLabel="Erase data"
        onConfirm={handleConfirm}
      >
        This can’t be undone.
      </ConfirmDialog>
    </Panel>
  );
}
