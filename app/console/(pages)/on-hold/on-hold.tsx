"use client";

import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";

import { TemporaryPassword } from "#app/console/(pages)/mailboxes/passwords.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useListParams } from "#app/console/ui/list-params.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { sortRows } from "#app/console/ui/sort-rows.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { type MailboxOnHold, MailboxOnHoldPanel } from "./mailbox-on-hold.tsx";

const ORDERS = [
  { value: "-since", label: "Newest first" },
  { value: "since", label: "Oldest first" },
  { value: "-recipients", label: "Most recipients first" },
  { value: "mailbox", label: "By address" },
];

const SORT_BY = {
  since: ({ since }: MailboxOnHold) => Date.parse(since),
  mailbox: ({ mailbox }: MailboxOnHold) => mailbox,
  recipients: ({ recipients }: MailboxOnHold) => recipients,
};

/** Mailboxes whose outgoing mail the sending guard put on hold, with the decision for each. */
export function OnHold() {
  const held = useRead("onHold.list", {}, { refetchInterval: REFRESH_MS });
  const { sort } = useListParams(["-since", "mailbox", "-recipients"]);
  // Kept here because the mailbox leaves the list before its password is copied.
  const [contained, setContained] = useState<{ mailbox: string; password: string } | null>(null);
  return (
    <>
      <PageHeader
        title="On hold"
        description="Outgoing mail that Posthouse stopped because the mailbox may be compromised."
        help="spam"
      />
      <QueryView query={held} noun="mail on hold" skeleton={<PanelSkeleton count={10} />}>
        {({ data }) =>
          data.length === 0 ? (
            <NoMailboxesOnHold />
          ) : (
            <Stack gap="lg">
              {data.length > 1 && (
                <NativeSelect
                  aria-label="Sort by"
                  size="sm"
                  maw={220}
                  data={ORDERS}
                  value={sort}
                  onChange={({ currentTarget: { value } }) =>
                    updateSearch({ sort: value === ORDERS[0]!.value ? "" : value })
                  }
                />
              )}
              {sortRows(data, sort, SORT_BY).map((mailbox) => (
                <MailboxOnHoldPanel
                  key={mailbox.mailbox}
                  held={mailbox}
                  onContained={(password) => setContained({ mailbox: mailbox.mailbox, password })}
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

const REFRESH_MS = 15_000;

function NoMailboxesOnHold() {
  return (
    <EmptyState title="No mail on hold">
      <Text>
        When a mailbox suddenly sends to many new recipients from a new network, or sends spam, its
        password may have been stolen. Posthouse then puts its mail to addresses outside your
        company on hold and notifies you by email.
      </Text>
    </EmptyState>
  );
}
