"use client";

import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import {
  isFirstPage,
  type PageCursor,
  Pagination,
  usePageCursor,
} from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { type BulkActionName } from "./bulk-actions/bulk-actions.ts";
import { LazyBulkActionDialog } from "./bulk-actions/lazy-bulk-action-dialog.ts";
import { MAILBOX_COLUMNS } from "./mailbox-columns.tsx";
import { MailboxFilterBar } from "./mailbox-filter-bar.tsx";
import { useMailboxFilters } from "./mailbox-filters.ts";
import { MailboxList, MailboxListSkeleton } from "./mailbox-list.tsx";
import type { OnMailboxAction } from "./mailbox-row-menu.tsx";
import { NoMailboxes } from "./no-mailboxes.tsx";
import {
  MAILBOX_SORTS,
  type MailboxFilters,
  type MailboxOrder,
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
  const filters = useMailboxFilters();
  const { sort, hidden } = useListParams(MAILBOX_SORTS);
  const mailboxes = useQuery(mailboxesQuery(place, filters, sort));
  const { data: options } = useQuery(mailboxOptionsQuery);
  const choice = useSelection();
  // Here, because the row may leave the list while its dialog is open.
  const [single, setSingle] = useState<SingleAction | null>(null);

  const isFiltered = Object.keys(filters).length > 0;
  const isNone = isFirstPage(place) && mailboxes.data?.data.length === 0;
  const isEmpty = isNone && !isFiltered;
  return (
    <>
      <PageHeader {...HEAD} action={!isEmpty && <CreateMailboxButtons />} />
      {!isEmpty && !isForbidden(mailboxes) && (
        <MailboxFilterBar filters={filters} options={options}>
          <ListTools
            columns={MAILBOX_COLUMNS}
            exportPath="/console/api/mailboxes/export"
            exportQuery={{ ...filters, sort }}
            {...{ hidden, sort }}
          />
        </MailboxFilterBar>
      )}
      <QueryView query={mailboxes} noun="mailboxes" skeleton={<MailboxListSkeleton />}>
        {(page) => {
          if (isEmpty)
            return <NoMailboxes create={<CreateMailboxButtons />} domains={options?.domains} />;
          return (
            <>
              {isNone && <NoMatchingMailboxes />}
              {page.data.length > 0 && (
                <SelectableMailboxes
                  onAct={(name, mailbox) => setSingle({ name, mailbox })}
                  {...{ choice, page, place, filters, sort, hidden }}
                />
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
      {single && (
        <LazyBulkActionDialog
          name={single.name}
          mailboxes={[single.mailbox]}
          onClose={() => setSingle(null)}
        />
      )}
    </>
  );
}

type SingleAction = { name: BulkActionName; mailbox: MailboxRow };

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
  sort,
  hidden,
  onAct,
}: {
  choice: Selection;
  page: { data: MailboxRow[]; has_more: boolean; counts: { total: number } | null };
  place: PageCursor;
  filters: MailboxFilters;
  sort: MailboxOrder;
  hidden: ReadonlySet<string>;
  onAct: OnMailboxAction;
}) {
  // Replaces selected rows with their latest data.
  const fresh = page.data.filter(({ id }) => chosen.has(id));
  if (!useMaySelect()) return <MailboxList mailboxes={page.data} {...{ sort, hidden }} />;
  return (
    <>
      <BulkActionBar
        chosen={new Map([...chosen, ...fresh.map((mailbox) => [mailbox.id, mailbox] as const)])}
        page={page.data}
        hasMore={page.has_more || !isFirstPage(place)}
        total={page.counts?.total ?? page.data.length}
        filters={filters}
        onChoose={setChosen}
      />
      <MailboxList
        mailboxes={page.data}
        tools={{ chosen, onChoose: choose, onAct }}
        {...{ sort, hidden }}
      />
    </>
  );
}

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
        Clear filters
      </Anchor>
    </Text>
  );
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
