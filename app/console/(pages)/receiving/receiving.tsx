"use client";

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { CreateInboundAddress, InboundAddresses } from "./inbound-addresses.tsx";
import { receivedListQuery, type ReceivedRow } from "./queries.ts";

const HEAD = {
  title: "Receiving",
  description: "Email for your programs, which read it through the API and webhooks.",
  help: "receiving",
} as const;

const SKELETON_ROWS = 5;

export function Receiving() {
  const privileges = usePrivileges();
  return (
    <>
      <PageHeader {...HEAD} action={privileges.has("manage_groups") && <CreateInboundAddress />} />
      <Stack gap="lg">
        <InboundAddresses canDelete={privileges.has("manage_groups")} />
        {privileges.has("api_controls") && <ReceivedEmails />}
      </Stack>
    </>
  );
}

function ReceivedEmails() {
  const place = usePageCursor();
  const search = useSearchParams().get("search") ?? "";
  const params = useListParams(TIME_SORTS);
  const received = useQuery(receivedListQuery(place, search, params.sort));
  const isFiltered = search !== "";
  return (
    <section aria-label="Received emails">
      {received.data && !isEmptyList(received, place, isFiltered) && (
        <FilterBar>
          <SearchField
            noun="received emails"
            placeholder="Sender, subject, or recipient"
            value={search}
            onSearch={(search) => updateSearch({ search }, "replace")}
          />
          <ListTools layout={RECEIVED_LIST} params={params} />
        </FilterBar>
      )}
      <ListView
        {...{ place, params, isFiltered }}
        layout={RECEIVED_LIST}
        query={received}
        skeletonRows={SKELETON_ROWS}
        empty={<NoReceivedEmails />}
      />
    </section>
  );
}

function NoReceivedEmails() {
  return (
    <EmptyState title="No received emails">
      <Text c="dimmed">
        Mail to your inbound addresses appears here and in the API, and webhooks that subscribe to
        email.received are notified.
      </Text>
    </EmptyState>
  );
}

/** Shown until the URL's search parameters are known. */
export function ReceivingSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={RECEIVED_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

const RECEIVED_LIST: ListLayout<ReceivedRow> = {
  noun: "received emails",
  label: "Received emails",
  columns: [
    {
      area: "from",
      header: "From",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: ({ id, from }) => (
        <ListRowLink href={`/console/receiving/${id}`}>{from || "(no sender)"}</ListRowLink>
      ),
    },
    {
      area: "subject",
      header: "Subject",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ subject }) => subject || "(no subject)",
    },
    {
      area: "to",
      header: "To",
      kind: "text",
      width: "minmax(0, 4fr)",
      isOptional: true,
      canHide: true,
      cell: ({ receivedFor: to }) => `${to[0] ?? ""}${to.length > 1 ? ` +${to.length - 1}` : ""}`,
    },
    {
      area: "verdict",
      header: "Spam check",
      kind: "status",
      width: "104px",
      cell: ({ isSpam }) =>
        isSpam ? <Status tone="failed" label="Spam" /> : <Status tone="none" label="Not spam" />,
    },
    {
      area: "received",
      header: "Received",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
  ],
  phone: `"from verdict" auto "subject received" auto / minmax(0, 1fr) auto`,
};
