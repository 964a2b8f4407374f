"use client";

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";

import { type Access as AccessData, accessQuery } from "./access-queries.ts";
import classes from "./access.module.css";
import { AppPasswords } from "./app-passwords.tsx";
import { ResetPassword } from "./reset-password.tsx";
import { Sessions } from "./sessions.tsx";

/** What opens a mailbox: its password, app passwords, and sessions that are open. */
export function Access({ mailbox }: { mailbox: MailboxDetail }) {
  const access = useQuery(accessQuery(mailbox.id));
  return (
    <Stack gap="md">
      {mailbox.may.reset_password && <ResetPassword mailbox={mailbox} />}
      <QueryView
        query={access}
        what="sessions"
        skeleton={
          <Panel>
            <SkeletonLines count={7} />
          </Panel>
        }
      >
        {(access) => (
          <Stack gap="md">
            <Sessions mailbox={mailbox} access={access} />
            <AppPasswords mailbox={mailbox} passwords={access.app_passwords} />
            <SignIns mailbox={mailbox} networks={access.networks} />
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

function SignIns({
  mailbox,
  networks,
}: {
  mailbox: MailboxDetail;
  networks: AccessData["networks"];
}) {
  const { last_sign_in_at: last } = mailbox;
  return (
    <Panel title="Last sign-ins">
      <Facts>
        <Fact name="With a mail app">
          {last === null ? "No mail app has signed in yet" : <ExactMoment at={last} />}
        </Fact>
      </Facts>
      {networks.length > 0 && (
        <div className={classes.networks}>
          <Rows label="Networks">
            {networks.map(({ network, last_seen_at: seenAt, first_seen_at: firstAt }) => (
              <Row key={network} title={`From ${network}`}>
                Last <RelativeMoment at={seenAt} />, first <RelativeMoment at={firstAt} />
              </Row>
            ))}
          </Rows>
        </div>
      )}
      {networks.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Networks that somebody signs in from are listed here.
        </Text>
      )}
    </Panel>
  );
}
