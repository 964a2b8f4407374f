"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { formatBytes, pluralize } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { useAction } from "#app/console/ui/use-action.ts";

import { DeletePermanently } from "./delete-permanently.tsx";
import { DeletedList, DeletedListSkeleton } from "./deleted-list.tsx";
import {
  DELETED_KEYS,
  type DeletedList as List,
  deletedQuery,
  type DeletedRow,
  restoreItem,
} from "./queries.ts";

/** What an owner can restore, or delete permanently. */
export function DeletedItems() {
  const place = usePageCursor();
  const list = useQuery(deletedQuery(place));
  const [leaving, setLeaving] = useState<DeletedRow | null>(null);
  const restoration = useAction({
    call: ({ id }: DeletedRow) => restoreItem(id),
    invalidates: DELETED_KEYS,
    success: (_, { name }) => `${name} restored`,
  });

  return (
    <>
      <PageHeader title="Deleted" description={list.data && describeList(list.data)} />
      <QueryView query={list} noun="deleted items" skeleton={<DeletedListSkeleton />}>
        {(page) =>
          page.data.length === 0 && isFirstPage(place) ? (
            <NothingDeleted days={page.kept_days} />
          ) : (
            <>
              {page.data.length > 0 && (
                <DeletedList
                  rows={page.data}
                  onRestore={restoration.start}
                  onDelete={setLeaving}
                  isBusy={restoration.isPending}
                />
              )}
              <Pagination cursor={place} page={page} isPlaceholder={list.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
      <DeletePermanently item={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

function describeList({ kept_days: days, storage_bytes: bytes }: List): string {
  const term = `You can restore what was deleted in the last ${pluralize(days, "day")}.`;
  return bytes > 0 ? `${term} Deleted mailboxes use ${formatBytes(bytes)} of storage.` : term;
}

function NothingDeleted({ days }: { days: number }) {
  return (
    <EmptyState title="Nothing to restore">
      <Text c="dimmed">
        Deleted mailboxes, groups, aliases, and domains stay here for {pluralize(days, "day")}. You
        can restore a mailbox with its mail, or delete it permanently so that its address is
        available again.
      </Text>
    </EmptyState>
  );
}
