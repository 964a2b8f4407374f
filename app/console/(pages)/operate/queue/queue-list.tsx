"use client";

import { Text } from "@mantine/core";
import { useState } from "react";

import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { type ListParams, ListTools } from "#app/console/ui/list-tools.tsx";

import { HoldDialog } from "./hold-dialog.tsx";
import type { Hold, QueueRow, Subject } from "./queries.ts";
import { type ListedQueueRow, queueList } from "./queue-columns.tsx";

export function QueueList({
  kind,
  rows,
  holds,
  params,
}: {
  kind: Subject["kind"];
  rows: QueueRow[];
  holds: Hold[];
  params: ListParams;
}) {
  const [held, setHeld] = useState<ListedQueueRow | null>(null);
  if (rows.length === 0)
    return (
      <EmptyState title="The queue is empty">
        <Text c="dimmed">
          Mail is usually delivered within a second. Delayed mail appears here with the reason and
          the next attempt.
        </Text>
      </EmptyState>
    );
  const layout = queueList(kind, setHeld);
  const isOnHold = (subject: string) =>
    holds.some((hold) => hold.kind === kind && hold.subject === subject);
  const listed = rows.map((row) => ({
    ...row,
    id: row.subject,
    isOnHold: isOnHold(row.subject),
  }));
  return (
    <>
      <FilterBar>
        <ListTools layout={layout} params={params} />
      </FilterBar>
      <DataTable layout={layout} rows={listed} {...params} />
      <HoldDialog
        isOpen={held !== null}
        onClose={() => setHeld(null)}
        subject={{ kind, subject: held?.subject ?? "", name: held?.name ?? "" }}
      />
    </>
  );
}

const SKELETON_LIST = queueList("destination", () => {});
const SKELETON_ROWS = 6;

export const QueueListSkeleton = () => (
  <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
);
