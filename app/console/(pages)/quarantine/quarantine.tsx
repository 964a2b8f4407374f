"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { useSelection } from "#app/console/ui/selection.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import { QuarantineBulkActions } from "./quarantine-bulk-actions.tsx";
import { quarantineList } from "./quarantine-columns.tsx";
import { QuarantineFilterBar } from "./quarantine-filter-bar.tsx";
import { reasons } from "./quarantine-labels.ts";
import {
  type Decision,
  type QuarantineRow,
  quarantineQuery,
  readMatchingMessages,
} from "./queries.ts";

const HEAD = {
  title: "Quarantine",
  sentence: "Incoming messages kept from mailboxes. Posthouse deletes them after 30 days.",
  help: "spam",
} as const;
const SKELETON_ROWS = 20;

export function Quarantine() {
  const place = usePageCursor();
  const filters = useUrlFilters({ reason: oneOf(reasons), search: anyText });
  const params = useListParams(TIME_SORTS);
  const held = useQuery(quarantineQuery(place, filters, params.sort));
  const selection = useSelection<QuarantineRow>();
  const [asked, setAsked] = useState<Asked | null>(null);
  const layout = quarantineList(selection, (decision, message) =>
    setAsked({ decision, messages: [message] }),
  );

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = isEmptyList(held, place, isFiltered);
  return (
    <>
      <PageHeader {...HEAD} />
      {!isEmpty && !isForbidden(held) && (
        <QuarantineFilterBar filters={filters}>
          <ListTools layout={layout} params={params} />
        </QuarantineFilterBar>
      )}
      <ListView
        {...{ layout, place, params, isFiltered }}
        query={held}
        skeletonRows={SKELETON_ROWS}
        empty={<NoQuarantinedMessages />}
        above={(page) => (
          <QuarantineBulkActions
            {...{ page, place, selection, asked }}
            readAll={() => readMatchingMessages(filters, params.sort)}
            onAsk={setAsked}
          />
        )}
      />
    </>
  );
}

/** What the open dialog is about. */
export type Asked = { decision: Decision; messages: QuarantineRow[] };

function NoQuarantinedMessages() {
  return (
    <EmptyState title="No messages in quarantine">
      <Text c="dimmed">
        Likely spam, messages with viruses, and group posts awaiting a moderator are kept here. They
        aren’t delivered until someone releases them. Messages with a lower spam score go to the
        recipient’s Junk folder instead.
      </Text>
      <Text c="dimmed">
        rspamd detects spam and viruses. Run <code>posthouse doctor</code> on the server to check
        that it is working.
      </Text>
    </EmptyState>
  );
}

const SKELETON_LIST = quarantineList(
  { chosen: new Map(), setChosen: () => {}, choose: () => {} },
  () => {},
);

/** Shown until the URL's search parameters are known. */
export function QuarantineSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}
