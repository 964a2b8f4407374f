"use client";

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";

import { HeldMailboxPanel } from "./held-mailbox.tsx";
import { heldQuery, useHeldChanged } from "./queries.ts";

/** Mailboxes that a stranger may be sending from, and what to do about each. */
export function Held() {
  const held = useQuery(heldQuery);
  const changed = useHeldChanged();
  // Kept here: the mailbox leaves the list while its password is still to be stored.
  const [contained, setContained] = useState<{ mailbox: string; password: string } | null>(null);
  return (
    <>
      <PageHeader
        title="Held mail"
        sentence="Mail to outside addresses that waits because somebody else may be sending it."
        help="spam"
      />
      <QueryView query={held} what="the held mail" skeleton={<HeldSkeleton />}>
        {({ data }) =>
          data.length === 0 ? (
            <NothingHeld />
          ) : (
            <Stack gap="lg">
              {data.map((mailbox) => (
                <HeldMailboxPanel
                  key={mailbox.mailbox}
                  held={mailbox}
                  onContained={(password) => {
                    setContained({ mailbox: mailbox.mailbox, password });
                    void changed();
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

function NothingHeld() {
  return (
    <EmptyList title="Nothing is held">
      <Text c="dimmed">
        When a mailbox suddenly writes to many people it never wrote to, from a network it was never
        used from, its password may be in somebody else&rsquo;s hands. Its mail to addresses outside
        the company then waits here, and you are told by email.
      </Text>
    </EmptyList>
  );
}

function HeldSkeleton() {
  return (
    <Panel>
      <SkeletonLines count={10} />
    </Panel>
  );
}
