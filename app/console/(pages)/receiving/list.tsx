"use client";

import { Stack, Text } from "@mantine/core";

import { usePrivileges } from "#app/console/session.ts";
import type { AnswerOf } from "#app/console/console-client.ts";
import { ListSection } from "#app/console/ui/list-page.tsx";
import {
  createdColumn,
  recipientsColumn,
  senderColumn,
  SUBJECT_COLUMN,
} from "#app/console/ui/list-columns.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { CreateInboundAddress, InboundAddresses } from "./inbound-addresses.tsx";

export function Receiving() {
  const privileges = usePrivileges();
  return (
    <>
      <PageHeader
        title="Receiving"
        description="Email that your applications receive through the API and webhooks."
        help="receiving"
        action={privileges.has("manage_groups") && <CreateInboundAddress />}
      />
      <Stack gap="lg">
        <InboundAddresses canDelete={privileges.has("manage_groups")} />
        {privileges.has(...READ_EMAILS) && <ReceivedEmails />}
      </Stack>
    </>
  );
}

type ReceivedRow = AnswerOf<"received.list">["data"][number];

const ReceivedEmails = () => (
  <ListSection
    list="received.list"
    label="Received emails"
    noun="received emails"
    settings={{ refetchInterval: REFRESH_MS }}
    search="Sender, subject, or recipient"
    empty={{
      title: "No received emails",
      children: (
        <Text>
          Mail to your inbound addresses appears here and in the API, and webhooks that subscribe to
          email.received are notified.
        </Text>
      ),
    }}
    columns={{
      from: senderColumn<ReceivedRow>("/console/receiving", ({ from }) => from || "(no sender)"),
      subject: SUBJECT_COLUMN,
      to: recipientsColumn<ReceivedRow>(({ receivedFor }) => receivedFor),
      verdict: {
        header: "Spam check",
        kind: "status",
        width: "104px",
        cell: ({ isSpam }) => (
          <Status tone={isSpam ? "failed" : "none"} label={isSpam ? "Spam" : "Not spam"} />
        ),
      },
      created: createdColumn("Received"),
    }}
    phone={`"from verdict" auto "subject created" auto / minmax(0, 1fr) auto`}
  />
);

const REFRESH_MS = 10_000;
