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
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { describeUserAgent, formatProtocols } from "#app/console/ui/sign-ins.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

export function AccountSessions() {
  const text = useTexts();
  const sessions = useQuery(sessionsQuery);
  const endOthers = useEndOthers();
  return (
    <>
      <PageHeader
        title={text("sessions")}
        description={text("sessions.text")}
        action={
          hasOthers(sessions.data) && (
            <ConfirmedButton
              label={text("sessions.endOthers")}
              title={text("sessions.endOthers.title")}
              onConfirm={() => endOthers.run()}
            >
              {text("sessions.endOthers.text")}
            </ConfirmedButton>
          )
        }
      />
      <Stack gap="md">
        <Panel title={text("sessions.browsers")}>
          <QueryView
            query={sessions}
            noun={text("noun.sessions")}
            skeleton={<Skeleton height={80} />}
          >
            {({ browsers }) => <AccountBrowserSessions browsers={browsers} />}
          </QueryView>
        </Panel>
        {sessions.data && (
          <Panel title={text("sessions.apps")}>
            <AccountMailAppSessions apps={sessions.data.mailApps} />
          </Panel>
        )}
      </Stack>
    </>
  );
}

/** True if another browser or a mail app is signed in, or if the mail server can't tell. */
const hasOthers = (sessions: Sessions | undefined) =>
  sessions && (sessions.browsers.length > 1 || sessions.mailApps?.length !== 0);

function AccountMailAppSessions({ apps }: { apps: Sessions["mailApps"] }) {
  const text = useTexts();
  const end = useEndMailApps();
  if (apps === null) return <Text role="status">{text("sessions.apps.unavailable")}</Text>;
  if (apps.length === 0) return <Text c="dimmed">{text("sessions.apps.none")}</Text>;
  return (
    <>
      <ItemList label={text("sessions.apps")}>
        {apps.map(({ clientAddress: address, services, connections }) => (
          <ItemRow
            key={address}
            title={address}
            actions={
              <Button
                variant="default"
                aria-label={text("sessions.apps.end.name", { address })}
                aria-busy={end.isPending && end.variables === address}
                onClick={() => end.start(address)}
              >
                {text("sessions.apps.end")}
              </Button>
            }
          >
            {text("sessions.connections", {
              count: connections,
              protocols: formatProtocols(services),
            })}
          </ItemRow>
        ))}
      </ItemList>
      <Text size="sm" c="dimmed" mt="md">
        {text("sessions.apps.text")}
      </Text>
    </>
  );
}

function AccountBrowserSessions({ browsers }: { browsers: Sessions["browsers"] }) {
  const text = useTexts();
  const end = useEndSession();
  return (
    <ItemList label={text("sessions.browsers")}>
      {browsers.map((session) => {
        const browser = describeUserAgent(session.userAgent);
        const name = session.usesWebmail ? `${browser}, ${text("webmail")}` : browser;
        const { clientAddress: address } = session;
        const time = <RelativeTime at={session.createdAt} />;
        return (
          <ItemRow
            key={session.id}
            title={name}
            actions={
              session.isThisOne ? (
                <Status tone="info" label={text("sessions.this")} />
              ) : (
                <Button
                  variant="default"
                  aria-label={text("sessions.end.name", { name })}
                  aria-busy={end.isPending && end.variables === session.id}
                  onClick={() => end.start(session.id)}
                >
                  {text("sessions.end")}
                </Button>
              )
            }
          >
            {address === null ? (
              <RichText id="sessions.signedIn" values={{ time }} />
            ) : (
              <RichText id="sessions.signedIn.from" values={{ address, time }} />
            )}
          </ItemRow>
        );
      })}
    </ItemList>
  );
}
