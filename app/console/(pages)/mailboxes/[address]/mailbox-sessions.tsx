"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { Button, Stack, Text } from "@mantine/core";

import { describeUserAgent, formatProtocols } from "#app/console/ui/sign-ins.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { type Access, useEndSessions } from "./access-queries.ts";

export function MailboxSessions({ mailbox, access }: { mailbox: MailboxDetail; access: Access }) {
  const end = useEndSessions(mailbox.id);
  const { browsers, mailApps: apps } = access;
  const may = mailbox.may.reset_password;
  const hasSome = browsers.length > 0 || apps?.length !== 0;
  return (
    <Panel
      title="Active sessions"
      aside={
        may &&
        hasSome && (
          <ConfirmedButton
            label="End all sessions"
            size="xs"
            title={`End all sessions of ${mailbox.id}?`}
            isHarmless
            onConfirm={() => end.run({})}
          >
            The mailbox user is signed out of all mail apps and the account page immediately. Anyone
            who knows the password can sign in again; to prevent that, reset it too.
          </ConfirmedButton>
        )
      }
    >
      <Stack gap="md">
        <NoSessions isAsked={apps !== null} isNobody={!hasSome} />
        <MailAppSessions
          apps={apps ?? []}
          onEnd={may ? (from) => end.start({ mailAppsFrom: from }) : undefined}
        />
        <BrowserSessions
          browsers={browsers}
          onEnd={may ? (id) => end.start({ browser: id }) : undefined}
        />
      </Stack>
    </Panel>
  );
}

function NoSessions({ isAsked, isNobody }: { isAsked: boolean; isNobody: boolean }) {
  if (!isAsked)
    return (
      <Text role="status">
        Mail app sessions are unavailable because the mail server isn’t responding.
      </Text>
    );
  return isNobody && <Text c="dimmed">No active sessions.</Text>;
}

function MailAppSessions({
  apps,
  onEnd,
}: {
  apps: NonNullable<Access["mailApps"]>;
  onEnd: ((from: string) => void) | undefined;
}) {
  if (apps.length === 0) return null;
  return (
    <ItemList label="Mail apps">
      {apps.map(({ clientAddress: from, services, connections }) => (
        <ItemRow
          key={from}
          title={`Mail app at ${from}`}
          actions={
            onEnd && <EndSessionButton what={`mail app at ${from}`} onEnd={() => onEnd(from)} />
          }
        >
          {pluralize(connections, "connection")} for {formatProtocols(services)}
        </ItemRow>
      ))}
    </ItemList>
  );
}

function BrowserSessions({
  browsers,
  onEnd,
}: {
  browsers: Access["browsers"];
  onEnd: ((id: string) => void) | undefined;
}) {
  if (browsers.length === 0) return null;
  return (
    <ItemList label="Account page">
      {browsers.map(({ id, userAgent: agent, clientAddress: from, createdAt: at }) => (
        <ItemRow
          key={id}
          title={describeUserAgent(agent)}
          actions={
            onEnd && <EndSessionButton what={describeUserAgent(agent)} onEnd={() => onEnd(id)} />
          }
        >
          Account page{from !== null && ` from ${from}`}, signed in <RelativeTime at={at} />
        </ItemRow>
      ))}
    </ItemList>
  );
}

function EndSessionButton({ what, onEnd }: { what: string; onEnd: () => void }) {
  return (
    <Button variant="default" size="xs" aria-label={`End session of ${what}`} onClick={onEnd}>
      End session
    </Button>
  );
}
