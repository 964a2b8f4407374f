"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { formatBytes, formatMegabytes, pluralize } from "#app/console/ui/format.ts";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { DeletePermanently } from "./delete-permanently.tsx";
import { deletedList } from "./deleted-columns.tsx";
import {
  DELETED_KEYS,
  type DeletedList as List,
  deletedQuery,
  type DeletedRow,
  restoreItem,
} from "./queries.ts";

const SKELETON_ROWS = 10;

/** What an owner can restore, or delete permanently. */
export function DeletedItems() {
  const place = usePageCursor();
  const params = useListParams(TIME_SORTS);
  const list = useQuery(deletedQuery(place, params.sort));
  const [leaving, setLeaving] = useState<DeletedRow | null>(null);
  const restoration = useAction({
    call: ({ id }: DeletedRow) => restoreItem(id),
    invalidates: DELETED_KEYS,
    success: ({ loweredQuotaMb: quota }, { name }) =>
      quota === null
        ? `${name} restored`
        : `${name} restored. Its storage limit is now ${formatMegabytes(quota)}, your plan’s maximum.`,
  });
  const layout = deletedList({
    onRestore: restoration.start,
    onDelete: setLeaving,
    isBusy: restoration.isPending,
  });

  return (
    <>
      <PageHeader title="Deleted" description={list.data && describeList(list.data)} />
      {!isEmptyList(list, place, false) && !isForbidden(list) && (
        <FilterBar>
          <ListTools layout={layout} params={params} />
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={list}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={({ keptDays: days }) => <NothingDeleted days={days} />}
      />
      <DeletePermanently item={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

const SKELETON_LIST = deletedList({ onRestore: () => {}, onDelete: () => {}, isBusy: false });

/** Shown until the URL's search parameters are known. */
export function DeletedItemsSkeleton() {
  return (
    <>
      <PageHeader title="Deleted" />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

function describeList({ keptDays: days, storageBytes: bytes }: List): string {
  const term = `You can restore what was deleted in the last ${pluralize(days, "day")}.`;
  return bytes > 0 ? `${term} Deleted mailboxes use ${formatBytes(bytes)} of storage.` : term;
}

function NothingDeleted({ days }: { days: number }) {
  return (
    <EmptyState title="Nothing to restore">
      <Text c="dimmed">
        Deleted mailboxes, groups, aliases, inbound addresses, and domains stay here for{" "}
        {pluralize(days, "day")}. You can restore a mailbox with its mail, or delete it permanently
        so that its address is available again.
      </Text>
    </EmptyState>
  );
}
