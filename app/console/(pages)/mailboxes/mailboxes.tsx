"use client";

import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, type PageCursor, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { MailboxFilterBar } from "./mailbox-filter-bar.tsx";
import { MailboxList, MailboxListSkeleton } from "./mailbox-list.tsx";
import { NoMailboxes } from "./no-mailboxes.tsx";
import {
  type MailboxFilters,
  type MailboxRow,
  mailboxesQuery,
  mailboxOptionsQuery,
} from "./queries.ts";
import { BulkActionBar, useMaySelect } from "./bulk-actions/bulk-action-bar.tsx";

const HEAD = {
  title: "Mailboxes",
  sentence: "Mailboxes store mail for the people in your company.",
  help: "mailboxes",
} as const;

export function Mailboxes() {
  const place = usePageCursor();
  const filters = useFilters();
  const mailboxes = useQuery(mailboxesQuery(place, filters));
  const { data: options } = useQuery(mailboxOptionsQuery);
  const choice = useSelection();

  const isFiltered = Object.keys(filters).length > 0;
  const isNone = isAtTop(place) && mailboxes.data?.data.length === 0;
  const isEmpty = isNone && !isFiltered;
  return (
    <>
      <PageHeader {...HEAD} action={!isEmpty && <CreateMailboxButtons />} />
      {!isEmpty && !isForbidden(mailboxes) && (
        <MailboxFilterBar filters={filters} options={options} />
      )}
      <QueryView query={mailboxes} noun="mailboxes" skeleton={<MailboxListSkeleton />}>
        {(page) => {
          if (isEmpty)
            return <NoMailboxes create={<CreateMailboxButtons />} domains={options?.domains} />;
          return (
            <>
              {isNone ? (
                <NoMatchingMailboxes />
              ) : (
                <SelectableMailboxes choice={choice} page={page} place={place} filters={filters} />
              )}
              <Pagination
                cursor={place}
                page={page}
                isPlaceholder={mailboxes.isPlaceholderData}
                labels={{ newer: "Previous", older: "Next" }}
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

type Selection = ReturnType<typeof useSelection>;

/** The selection spans pages of the list. */
function useSelection() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, MailboxRow>>(new Map());
  const choose = (mailbox: MailboxRow, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Map(before);
      if (isChosen) after.set(mailbox.id, mailbox);
      else after.delete(mailbox.id);
      return after;
    });
  return { chosen, setChosen, choose };
}

function SelectableMailboxes({
  choice: { chosen, setChosen, choose },
  page,
  place,
  filters,
}: {
  choice: Selection;
  page: { data: MailboxRow[]; has_more: boolean };
  place: PageCursor;
  filters: MailboxFilters;
}) {
  // Replaces selected rows with their latest data.
  const fresh = page.data.filter(({ id }) => chosen.has(id));
  if (!useMaySelect()) return <MailboxList mailboxes={page.data} />;
  return (
    <>
      <BulkActionBar
        chosen={new Map([...chosen, ...fresh.map((mailbox) => [mailbox.id, mailbox] as const)])}
        page={page.data}
        hasMore={page.has_more || !isAtTop(place)}
        filters={filters}
        onChoose={setChosen}
      />
      <MailboxList mailboxes={page.data} choice={{ chosen, onChoose: choose }} />
    </>
  );
}

const isAtTop = (place: PageCursor) => !place.after && !place.before;

function CreateMailboxButtons() {
  if (!usePrivileges().has("create_users")) return null;
  return (
    <Group gap="xs">
      <Button component={Link} href="/console/mailboxes/import" variant="default">
        Import
      </Button>
      <Button component={Link} href="/console/mailboxes/new">
        Create mailbox
      </Button>
    </Group>
  );
}

function NoMatchingMailboxes() {
  return (
    <Text py="lg" role="status">
      No matching mailboxes.{" "}
      <Anchor component={Link} href="/console/mailboxes" underline="always">
        Clear filters{" "}
      </Anchor>
    </Text>
  );
}

function useFilters(): MailboxFilters {
  const asked = useSearchParams();
  const [search, domain, status, unit] = ["search", "domain", "status", "unit"].map((name) =>
    asked.get(name),
  );
  return {
    ...(search && { search }),
    ...(domain && { domain }),
    ...((status === "active" || status === "suspended") && { status }),
    ...(unit && /^\d{1,10}$/.test(unit) && { unit }),
  };
}

/** Shown until the URL's search parameters are known. */
export function MailboxesSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <MailboxListSkeleton />
    </>
  );
}
