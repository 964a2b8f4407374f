"use client";

import { NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { TemporaryPassword } from "#app/console/(pages)/mailboxes/passwords.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { type SortOf, useListParams } from "#app/console/ui/list-params.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { sortRows } from "#app/console/ui/sort-rows.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { MailboxOnHoldPanel } from "./mailbox-on-hold.tsx";
import { type MailboxOnHold, onHoldQuery, useRefreshOnHold } from "./queries.ts";

const HEADER = {
  title: "On hold",
  description: "Outgoing mail that Posthouse stopped because the mailbox may be compromised.",
  help: "spam",
} as const;

const ON_HOLD_SORTS = ["-since", "mailbox", "-recipients"] as const;
type OnHoldSort = SortOf<typeof ON_HOLD_SORTS>;

const ORDERS = [
  { value: "-since", label: "Newest first" },
  { value: "since", label: "Oldest first" },
  { value: "-recipients", label: "Most recipients first" },
  { value: "mailbox", label: "By address" },
];

/** The page has them all. */
const sortOnHold = (mailboxes: readonly MailboxOnHold[], sort: OnHoldSort) =>
  sortRows(mailboxes, sort, {
    since: ({ since }) => Date.parse(since),
    mailbox: ({ mailbox }) => mailbox,
    recipients: ({ recipients }) => recipients,
  });

function OnHoldOrder({ sort }: { sort: OnHoldSort }) {
  return (
    <NativeSelect
      aria-label="Sort by"
      size="sm"
      maw={220}
      data={ORDERS}
      value={sort}
      onChange={({ currentTarget: { value } }) =>
        updateSearch({ sort: value === ON_HOLD_SORTS[0] ? "" : value })
      }
    />
  );
}

/** Mailboxes whose outgoing mail the sending guard put on hold, with the decision for each. */
export function OnHold() {
  const held = useQuery(onHoldQuery);
  const { sort } = useListParams(ON_HOLD_SORTS);
  const refresh = useRefreshOnHold();
  // Kept here because the mailbox leaves the list before its password is copied.
  const [contained, setContained] = useState<{ mailbox: string; password: string } | null>(null);
  return (
    <>
      <PageHeader {...HEADER} />
      <QueryView query={held} noun="mail on hold" skeleton={<OnHoldSkeleton />}>
        {({ data }) =>
          data.length === 0 ? (
            <NoMailboxesOnHold />
          ) : (
            <Stack gap="lg">
              {data.length > 1 && <OnHoldOrder sort={sort} />}
              {sortOnHold(data, sort).map((mailbox) => (
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

/** Shown until the URL's search parameters are known. */
export function OnHoldPageSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <OnHoldSkeleton />
    </>
  );
}

function OnHoldSkeleton() {
  return (
    <Panel>
      <SkeletonLines count={10} />
    </Panel>
  );
}
