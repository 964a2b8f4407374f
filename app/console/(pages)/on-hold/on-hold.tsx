"use client";

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";

import { MailboxOnHoldPanel } from "./mailbox-on-hold.tsx";
import { onHoldQuery, useRefreshOnHold } from "./queries.ts";

/** Mailboxes whose outgoing mail the sending guard put on hold, with the decision for each. */
export function OnHold() {
  const held = useQuery(onHoldQuery);
  const refresh = useRefreshOnHold();
  // Kept here because the mailbox leaves the list before its password is copied.
  const [contained, setContained] = useState<{ mailbox: string; password: string } | null>(null);
  return (
    <>
      <PageHeader
        title="On hold"
        description="Outgoing mail that Posthouse stopped because the mailbox may be compromised."
        help="spam"
      />
      <QueryView query={held} noun="mail on hold" skeleton={<OnHoldSkeleton />}>
        {({ data }) =>
          data.length === 0 ? (
            <NoMailboxesOnHold />
          ) : (
            <Stack gap="lg">
              {data.map((mailbox) => (
                <MailboxOnHoldPanel
                  key={mailbox.mailbox}
                  held={mailbox}
                  onContained={(password) => {
                    setContained({ mailbox: mailbox.mailbox, password });
                    void refresh();
                  }}
                />
              ))}
            </Stack>
          )
        }
      </QueryView>
      {contained && (
        <TemporaryPassword
          address={contained.mailbox}
          password={contained.password}
          onStored={() => setContained(null)}
        />
      )}
    </>
  );
}

function NoMailboxesOnHold() {
  return (
    <EmptyState title="No mail on hold">
      <Text c="dimmed">
        When a mailbox suddenly sends to many new recipients from a new network, or sends spam, its
        password may have been stolen. Posthouse then puts its mail to addresses outside your
        company on hold and notifies you by email.
      </Text>
    </EmptyState>
  );
}

function OnHoldSkeleton() {
  return (
    <Panel>
      <SkeletonLines count={10} />
    </Panel>
  );
}
