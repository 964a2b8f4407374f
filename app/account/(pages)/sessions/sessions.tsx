"use client";

import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type Sessions,
  sessionsQuery,
  useEndMailApps,
  useEndOthers,
  useEndSession,
} from "#app/account/queries.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { describeUserAgent, formatProtocols } from "#app/console/ui/sign-ins.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export function AccountSessions() {
  const sessions = useQuery(sessionsQuery);
  const endOthers = useEndOthers();
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Browsers and mail apps that are signed in to your mailbox."
        action={
          <ConfirmedButton
            label="End other sessions"
            title="End other sessions?"
            onConfirm={() => endOthers.run()}
          >
            Other browsers have to sign in again. Mail apps are signed out, but those with a valid
            password sign in again automatically.
          </ConfirmedButton>
        }
      />
      <Stack gap="md">
        <Panel title="Browsers">
          <QueryView query={sessions} noun="your sessions" skeleton={<Skeleton height={80} />}>
            {({ browsers }) => <AccountBrowserSessions browsers={browsers} />}
          </QueryView>
        </Panel>
        <Panel title="Mail apps">
          {sessions.data && <AccountMailAppSessions apps={sessions.data.mailApps} />}
          {sessions.isPending && <Skeleton height={80} />}
          <Text size="sm" c="dimmed" mt="md">
            An app with a valid password signs in again automatically. To stop it, revoke its app
            password or change your password.
          </Text>
        </Panel>
      </Stack>
    </>
  );
}

function AccountMailAppSessions({ apps }: { apps: Sessions["mailApps"] }) {
  const end = useEndMailApps();
  if (apps === null)
    return (
      <Text role="status">
        Mail app sessions are unavailable because the mail server isn’t responding.
      </Text>
    );
  if (apps.length === 0) return <Text c="dimmed">No mail app is signed in.</Text>;
  return (
    <>
      <ItemList label="Mail apps">
        {apps.map(({ clientAddress: address, services, connections }) => (
          <ItemRow
            key={address}
            title={address}
            actions={
              <Button
                variant="default"
                aria-label={`End sessions from ${address}`}
                aria-busy={end.isPending && end.variables === address}
                onClick={() => end.start(address)}
              >
                End sessions
              </Button>
            }
          >
            {pluralize(connections, "connection")} for {formatProtocols(services)}
          </ItemRow>
        ))}
      </ItemList>
    </>
  );
}

function AccountBrowserSessions({ browsers }: { browsers: Sessions["browsers"] }) {
  const end = useEndSession();
  return (
    <>
      <ItemList label="Browsers">
        {browsers.map((session) => {
          const name = describeUserAgent(session.userAgent);
          return (
            <ItemRow
              key={session.id}
              title={name}
              actions={
                session.isThisOne ? (
                  <Status tone="info" label="This session" />
                ) : (
                  <Button
                    variant="default"
                    aria-label={`End session of ${name}`}
                    aria-busy={end.isPending && end.variables === session.id}
                    onClick={() => end.start(session.id)}
                  >
                    End session
                  </Button>
                )
              }
            >
              {session.clientAddress !== null && `From ${session.clientAddress}, `}
              signed in <RelativeTime at={session.createdAt} />
            </ItemRow>
          );
        })}
      </ItemList>
    </>
  );
}
