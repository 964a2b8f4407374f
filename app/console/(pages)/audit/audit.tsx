"use client";

import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { readUrl, type InputOf } from "#app/console/console-client.ts";
import { listOf } from "#app/console/endpoint-queries.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";
import { FilterBar, FoldedFilters } from "#app/console/ui/filter-bar.tsx";
import {
  ChoiceChips,
  FilterChip,
  FilterChips,
  FilterSelect,
} from "#app/console/ui/filter-chips.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { Menu } from "#app/console/ui/menu.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import {
  anyText,
  day,
  dayRange,
  type Filters,
  oneOf,
  useUrlFilters,
} from "#app/console/ui/url-filters.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { ACTOR_KINDS, AuditList, AuditListSkeleton } from "./audit-list.tsx";

const ROWS_PER_PAGE = 30;
const REFRESH_MS = 15_000;

const ORDERS = [
  { value: "-created", label: "Newest first" },
  { value: "created", label: "Oldest first" },
];

type AuditQuery = NonNullable<InputOf<"audit.list">["query"]>;

const AREAS: Record<NonNullable<AuditQuery["area"]>, string> = {
  domains: "Domains",
  mailboxes: "Mailboxes",
  groups: "Groups",
  keys: "API keys",
  webhooks: "Webhooks",
  sending: "Sending",
  held: "Quarantine",
  team: "Team",
  sign_in: "Sign-in",
  company: "Company",
};

/** `from` and `to` are days in the reader's time zone. */
const FILTERS = {
  actorKind: oneOf(ACTOR_KINDS),
  actor: anyText,
  area: oneOf(AREAS),
  search: anyText,
  from: day,
  to: day,
};

export function Audit() {
  const place = usePageCursor();
  const filters = useUrlFilters(FILTERS);
  const { sort } = useListParams(TIME_SORTS);
  const query = { ...filters, ...dayRange(filters), sort };
  const audit = useQuery(
    listOf(
      "audit.list",
      { ...query, ...place, rows: ROWS_PER_PAGE },
      {
        // Only the first page, so that entries don't move while someone reads.
        refetchInterval: isFirstPage(place) && REFRESH_MS,
        // The server, which renders the page, doesn't know the reader's time zone.
        ...((filters.from || filters.to) && { meta: {} }),
      },
    ),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = audit.data?.data.length === 0;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Changes in your company: who made them and when. Entries can’t be edited or deleted."
        help="audit"
        action={audit.data && !isNone && <AuditExport query={query} />}
      />
      {!isForbidden(audit) && <AuditFilters filters={filters} sort={sort} />}
      <QueryView
        query={audit}
        noun="the audit log"
        skeleton={<AuditListSkeleton rows={ROWS_PER_PAGE} />}
      >
        {(page) => (
          <>
            {isNone ? (
              isFirstPage(place) && <NoAuditEntries isFiltered={isFiltered} />
            ) : (
              <AuditList entries={page.data} />
            )}
            {!place.before && <ContinueSearch searchedTo={page.searchedTo} />}
            <Pagination cursor={place} page={page} isPlaceholder={audit.isPlaceholderData} />
          </>
        )}
      </QueryView>
    </>
  );
}

function NoAuditEntries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <NoResults noun="entries" />;
  return (
    <EmptyState title="No changes yet">
      <Text>
        Changes by admins, API keys, mailbox users, operators, and the system appear here.
      </Text>
    </EmptyState>
  );
}

/** Downloads the filtered entries in the list's order. */
const AuditExport = ({ query }: { query: AuditQuery }) => (
  <Menu
    button={
      <Button variant="default" leftSection={<IconDownload size={14} />}>
        Export
      </Button>
    }
  >
    {(["csv", "json"] as const).map((format) => (
      <Menu.Item
        key={format}
        component="a"
        href={readUrl("audit.export", { query: { ...query, format } })}
        download
      >
        Export as {format.toUpperCase()}
      </Menu.Item>
    ))}
  </Menu>
);

const AuditFilters = ({ filters, sort }: { filters: Filters<typeof FILTERS>; sort: string }) => (
  <FilterBar>
    <SearchField
      noun="the audit log"
      placeholder="Actor, action, or detail"
      value={filters.search ?? ""}
      onSearch={(search) => updateSearch({ search }, "replace")}
    />
    <FoldedFilters filters={filters}>
      <ChoiceChips
        name="actorKind"
        label="Actor type"
        value={filters.actorKind}
        options={ACTOR_KINDS}
      />
      <FilterSelect
        name="area"
        label="Area"
        value={filters.area}
        all="All areas"
        data={Object.entries(AREAS).map(([value, label]) => ({ value, label }))}
      />
      <Group gap="xs" wrap="nowrap" flex={{ base: "1 1 100%", sm: "none" }}>
        {(["from", "to"] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            flex={1}
            size="sm"
            aria-label={name === "from" ? "From" : "To"}
            leftSection={
              <Text size="sm" c="dimmed">
                {name === "from" ? "From" : "To"}
              </Text>
            }
            leftSectionWidth={50}
            value={filters[name] ?? ""}
            onChange={(event) => updateSearch({ [name]: event.currentTarget.value })}
          />
        ))}
      </Group>
      {filters.actor && (
        <FilterChips label="Actor">
          <FilterChip label={`By ${filters.actor} ×`} change={{ actor: "" }} isActive />
        </FilterChips>
      )}
      {Object.keys(filters).length > 0 && <ClearFiltersButton />}
    </FoldedFilters>
    <NativeSelect
      size="sm"
      ml="auto"
      aria-label="Sort by"
      data={ORDERS}
      value={sort}
      onChange={({ currentTarget: { value } }) =>
        updateSearch({ sort: value === "created" ? value : "" })
      }
    />
  </FilterBar>
);
