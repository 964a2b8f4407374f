"use client";

import { Button, Menu, NativeSelect, Text, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { type SortOf, TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { AuditList, AuditListSkeleton } from "./audit-list.tsx";
import classes from "./audit.module.css";
import {
  ACTOR_KINDS,
  AREAS,
  auditExportUrl,
  type AuditFilterValues,
  auditQuery,
  useAuditFilters,
} from "./queries.ts";

const HEAD = {
  title: "Audit log",
  sentence: "Changes in your company: who made them and when. Entries can’t be edited or deleted.",
  help: "audit",
} as const;

export function Audit() {
  const place = usePageCursor();
  const filters = useAuditFilters();
  const { sort } = useListParams(TIME_SORTS);
  const audit = useQuery(auditQuery(place, filters, sort));
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = audit.data?.data.length === 0;
  return (
    <>
      <PageHeader
        {...HEAD}
        action={audit.data && !isNone && <AuditExport filters={filters} sort={sort} />}
      />
      {!isForbidden(audit) && <AuditFilters filters={filters} sort={sort} />}
      <QueryView query={audit} noun="the audit log" skeleton={<AuditListSkeleton />}>
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

export function AuditSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <AuditListSkeleton />
    </>
  );
}

/** Downloads the filtered entries in the list's order. */
function AuditExport({
  filters,
  sort,
}: {
  filters: AuditFilterValues;
  sort: SortOf<typeof TIME_SORTS>;
}) {
  return (
    <Menu position="bottom-end" returnFocus>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={auditExportUrl(filters, sort, "csv")} download>
          Export as CSV
        </Menu.Item>
        <Menu.Item component="a" href={auditExportUrl(filters, sort, "json")} download>
          Export as JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const ORDERS = [
  { value: "-created", label: "Newest first" },
  { value: "created", label: "Oldest first" },
];

function AuditFilters({ filters, sort }: { filters: AuditFilterValues; sort: string }) {
  const current = useSearchParams();
  const change = (fields: Record<string, string>) => changedSearch(current, fields);
  const show = (fields: Record<string, string>) => updateSearch(fields);
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          noun="the audit log"
          placeholder="Actor, action, or detail"
          value={filters.search ?? ""}
          onSearch={(search) => updateSearch({ search }, "replace")}
        />
        <FilterChips label="Actor type">
          <FilterChip label="All" href={change({ actorKind: "" })} isActive={!filters.actorKind} />
          {Object.entries(ACTOR_KINDS).map(([kind, word]) => (
            <FilterChip
              key={kind}
              label={word}
              href={change({ actorKind: kind })}
              isActive={filters.actorKind === kind}
            />
          ))}
        </FilterChips>
      </div>
      <div className={`${classes.line} ${classes.choices}`}>
        <NativeSelect
          size="sm"
          className={classes.area}
          aria-label="Area"
          data={[
            { value: "", label: "All areas" },
            ...Object.entries(AREAS).map(([value, label]) => ({ value, label })),
          ]}
          value={filters.area ?? ""}
          onChange={(event) => show({ area: event.currentTarget.value })}
        />
        <DateField label="From" value={filters.from} onChange={(from) => show({ from })} />
        <DateField label="To" value={filters.to} onChange={(to) => show({ to })} />
        {filters.actor && (
          <FilterChips label="Actor">
            <FilterChip label={`By ${filters.actor} ×`} href={change({ actor: "" })} isActive />
          </FilterChips>
        )}
        {Object.keys(filters).length > 0 && <ClearFiltersButton />}
        <NativeSelect
          size="sm"
          className={classes.order}
          aria-label="Sort by"
          data={ORDERS}
          value={sort}
          onChange={({ currentTarget: { value } }) =>
            show({ sort: value === "created" ? value : "" })
          }
        />
      </div>
    </div>
  );
}

function DateField({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <label className={classes.day}>
      {label}
      <TextInput
        type="date"
        size="sm"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
