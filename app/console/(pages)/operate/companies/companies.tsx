"use client";

import { Button, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { formatLimit, formatRecipients } from "#app/console/(pages)/operate/plan-limits.tsx";
import { plansQuery } from "#app/console/(pages)/operate/plans/plans.tsx";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { COMPANY_STATES } from "./company-states.ts";
import {
  companiesQuery,
  COMPANY_SORTS,
  type CompanyFilterValues,
  type CompanyRow,
  type CompanyState,
} from "./queries.ts";

const HEADER = {
  title: "Companies",
  sentence: "All companies on this Posthouse server.",
};

const SKELETON_ROWS = 8;

export function Companies() {
  const place = usePageCursor();
  const filters = useUrlFilters(FILTERS);
  const params = useListParams(COMPANY_SORTS);
  const companies = useQuery(companiesQuery(place, filters, params.sort));
  const create = (
    <Button component={Link} href="/console/operate/companies/new">
      Create company
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={companies.data && create} />
      <CompanyFilters filters={filters}>
        <ListTools layout={COMPANY_LIST} params={params} />
      </CompanyFilters>
      <ListView
        {...{ place, params }}
        layout={COMPANY_LIST}
        query={companies}
        skeletonRows={SKELETON_ROWS}
        isFiltered={Object.keys(filters).length > 0}
        empty={
          <EmptyState title="No companies yet">
            <Text c="dimmed">
              Create the first company. Its owner gets a link to set a password.
            </Text>
          </EmptyState>
        }
      />
    </>
  );
}

/** `plan` is an ID, or "none". */
const FILTERS = { search: anyText, state: oneOf(COMPANY_STATES), plan: anyText };

export function CompaniesSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={COMPANY_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

export function CompanyFilters({
  filters,
  children,
}: {
  filters: CompanyFilterValues;
  /** Tools, on the right. */
  children: ReactNode;
}) {
  const current = useSearchParams();
  const plans = useQuery(plansQuery);
  const { state, plan = "", search = "" } = filters;
  return (
    <FilterBar>
      <SearchField
        noun="companies"
        placeholder="Name, admin, domain, or ID"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      <NativeSelect
        size="sm"
        aria-label="Plan"
        value={plan}
        onChange={(event) => updateSearch({ plan: event.target.value })}
        data={[
          { value: "", label: "Any plan" },
          { value: "none", label: "No plan" },
          ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <FilterChips label="Status">
        <FilterChip label="All" href={changedSearch(current, { state: "" })} isActive={!state} />
        {(Object.keys(COMPANY_STATES) as CompanyState[]).map((option) => (
          <FilterChip
            key={option}
            label={COMPANY_STATES[option].label}
            href={changedSearch(current, { state: option })}
            isActive={option === state}
          />
        ))}
      </FilterChips>
      {children}
    </FilterBar>
  );
}

export const COMPANY_LIST: ListLayout<CompanyRow> = {
  noun: "companies",
  label: "Companies",
  standardSort: "-created",
  columns: [
    {
      area: "name",
      header: "Company",
      kind: "name",
      width: "minmax(0, 5fr)",
      sort: "name",
      cell: ({ id, name }) => (
        <ListRowLink href={`/console/operate/companies/${id}`}>{name}</ListRowLink>
      ),
    },
    {
      area: "state",
      header: "Status",
      kind: "status",
      width: "140px",
      cell: ({ state }) => <Status {...COMPANY_STATES[state]} />,
    },
    {
      area: "plan",
      header: "Plan",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: planName,
    },
    {
      area: "month",
      header: "This month",
      kind: "text",
      width: "minmax(0, 4fr)",
      cell: ({ monthRecipients: used, figures: { monthlyAllowance: limit } }) => (
        <span title={`Limit: ${formatLimit(limit)}`}>{formatRecipients(used, limit)}</span>
      ),
    },
    {
      area: "holds",
      header: "Domains, mailboxes",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: ({ domains, mailboxes }) => `${domains}, ${mailboxes}`,
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
  ],
  phone: `"name state" auto "month month" auto / minmax(0, 1fr) auto`,
};

export function planName({ plan, purpose }: Pick<CompanyRow, "plan" | "purpose">): string {
  return plan?.name ?? (purpose === "sandbox" ? "Sandbox" : "Custom limits");
}
