"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { useSelection } from "#app/console/ui/selection.tsx";

import { BulkActionBar, useMaySelect } from "./bulk-actions/bulk-action-bar.tsx";
import { type BulkActionName } from "./bulk-actions/bulk-actions.ts";
import { LazyBulkActionDialog } from "./bulk-actions/lazy-bulk-action-dialog.ts";
import { MAILBOX_LIST, selectableList } from "./mailbox-columns.tsx";
import { MailboxFilterBar } from "./mailbox-filter-bar.tsx";
import { useMailboxFilters } from "./mailbox-filters.ts";
import { NoMailboxes } from "./no-mailboxes.tsx";
import { MAILBOX_SORTS, type MailboxRow, mailboxesQuery, mailboxOptionsQuery } from "./queries.ts";

const HEAD = {
  title: "Mailboxes",
  sentence: "Mailboxes store mail for the people in your company.",
  help: "mailboxes",
} as const;
const SKELETON_ROWS = 8;

export function Mailboxes() {
  const place = usePageCursor();
  const filters = useMailboxFilters();
  const params = useListParams(MAILBOX_SORTS);
  const mailboxes = useQuery(mailboxesQuery(place, filters, params.sort));
  const { data: options } = useQuery(mailboxOptionsQuery);
  const selection = useSelection<MailboxRow>();
  const maySelect = useMaySelect();
  // Here, because the row may leave the list while its dialog is open.
  const [single, setSingle] = useState<SingleAction | null>(null);

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = isEmptyList(mailboxes, place, isFiltered);
  const layout = maySelect
    ? selectableList(selection, (name, mailbox) => setSingle({ name, mailbox }))
    : MAILBOX_LIST;
  return (
    <>
      <PageHeader {...HEAD} action={!isEmpty && <CreateMailboxButtons />} />
      {!isEmpty && !isForbidden(mailboxes) && (
        <MailboxFilterBar filters={filters} options={options}>
          <ListTools
            layout={MAILBOX_LIST}
            params={params}
            exportUrl={downloadUrl("mailboxes.export", {
              query: {
                ...filters,
                sort: params.sort,
              },
            })}
            hasViews
          />
        </MailboxFilterBar>
      )}
      <ListView
        {...{ layout, place, params, isFiltered }}
        query={mailboxes}
        skeletonRows={SKELETON_ROWS}
        empty={<NoMailboxes create={<CreateMailboxButtons />} domains={options?.domains} />}
        above={(page) =>
          maySelect &&
          page.data.length > 0 && <BulkActionBar {...{ page, place, selection, filters }} />
        }
      />
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

function CreateMailboxButtons() {
  const { has } = usePrivileges();
  return (
    <Group gap="xs">
      {has("update_users") && (
        <Button component={Link} href="/console/mailboxes/import-mail" variant="default">
          Import mail
        </Button>
      )}
      {has("create_users") && (
        <>
          <Button component={Link} href="/console/mailboxes/import" variant="default">
            Import mailboxes
          </Button>
          <Button component={Link} href="/console/mailboxes/new">
            Create mailbox
          </Button>
        </>
      )}
    </Group>
  );
}

/** Shown until the URL's search parameters are known. */
export function MailboxesSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={MAILBOX_LIST} rows={SKELETON_ROWS} />
    </>
  );
}
