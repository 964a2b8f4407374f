"use client";

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { DescriptionItem, DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { type Access as AccessData, accessQuery } from "./access-queries.ts";
import classes from "./mailbox-access.module.css";
import { MailboxAppPasswords } from "./mailbox-app-passwords.tsx";
import { ResetMailboxPassword } from "./reset-mailbox-password.tsx";
import { ResetSecondFactor } from "./reset-second-factor.tsx";
import { MailboxShares } from "./mailbox-shares.tsx";
import { UnlinkMailbox } from "./unlink-mailbox.tsx";
import { MailboxSessions } from "./mailbox-sessions.tsx";

export function MailboxAccess({ mailbox }: { mailbox: MailboxDetail }) {
  const access = useQuery(accessQuery(mailbox.id));
  return (
    <Stack gap="md">
      {mailbox.may.reset_password && <ResetMailboxPassword mailbox={mailbox} />}
      {mailbox.may.reset_password && mailbox.hasSecondFactor && (
        <ResetSecondFactor mailbox={mailbox} />
      )}
      <MailboxShares mailbox={mailbox} />
      <QueryView
        query={access}
        noun="sessions"
        skeleton={
          <Panel>
            <SkeletonLines count={7} />
          </Panel>
        }
      >
        {(access) => (
          <Stack gap="md">
            {access.identityLinkedAt && (
              <UnlinkMailbox mailbox={mailbox} linkedAt={access.identityLinkedAt} />
            )}
            <MailboxSessions mailbox={mailbox} access={access} />
            <MailboxAppPasswords mailbox={mailbox} passwords={access.appPasswords} />
            <LastSignIns mailbox={mailbox} networks={access.networks} />
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

function LastSignIns({
  mailbox,
  networks,
}: {
  mailbox: MailboxDetail;
  networks: AccessData["networks"];
}) {
  const { lastSignInAt: last } = mailbox;
  return (
    <Panel title="Last sign-ins">
      <DescriptionList>
        <DescriptionItem label="With a mail app">
          {last === null ? "Never" : <ExactTime at={last} />}
        </DescriptionItem>
      </DescriptionList>
      {networks.length > 0 && (
        <div className={classes.networks}>
          <ItemList label="Networks">
            {networks.map(({ network, lastSeenAt: seenAt, firstSeenAt: firstAt }) => (
              <ItemRow key={network} title={`From ${network}`}>
                Last <RelativeTime at={seenAt} />, first <RelativeTime at={firstAt} />
              </ItemRow>
            ))}
          </ItemList>
        </div>
      )}
      {networks.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Networks used to sign in appear here.
        </Text>
      )}
    </Panel>
  );
}
