"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import { COMPANY_LIST } from "./company-columns.tsx";
import { CompanyFilters } from "./company-filters.tsx";
import { COMPANY_STATES } from "./company-states.ts";
import { companiesQuery, COMPANY_SORTS } from "./queries.ts";

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
