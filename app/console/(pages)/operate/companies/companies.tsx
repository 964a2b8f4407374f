"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { CompanyList, CompanyListSkeleton } from "./company-list.tsx";
import { COMPANY_STATES } from "./company-states.ts";
import { CompanyFilters } from "./company-filters.tsx";
import { companiesQuery, type CompanyFilterValues, type CompanyState } from "./queries.ts";

const HEADER = {
  title: "Companies",
  sentence: "All companies on this Posthouse server.",
};

export function Companies() {
  const place = usePageCursor();
  const filters = useFilters();
  const companies = useQuery(companiesQuery(place, filters));
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = companies.data?.data.length === 0 && !place.after && !place.before;
  const create = (
    <Button component={Link} href="/console/operate/companies/new">
      Create company
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={companies.data && create} />
      <CompanyFilters filters={filters} />
      <QueryView query={companies} noun="the companies" skeleton={<CompanyListSkeleton />}>
        {(page) =>
          isNone ? (
            <NoCompanies isFiltered={isFiltered} />
          ) : (
            <>
              <CompanyList companies={page.data} />
              <Pagination cursor={place} page={page} isPlaceholder={companies.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

function NoCompanies({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState title={isFiltered ? "No matching companies" : "No companies yet"}>
      <Text c="dimmed">
        {isFiltered ? (
          <>
            Try another search, or{" "}
            <Anchor component={Link} underline="always" href="/console/operate/companies">
              clear the filters
            </Anchor>
            .
          </>
        ) : (
          "Create the first company. Its owner gets a link to set a password."
        )}
      </Text>
    </EmptyState>
  );
}

function useFilters(): CompanyFilterValues {
  const params = useSearchParams();
  const [search, state, plan] = ["search", "state", "plan"].map((name) => params.get(name));
  const isState = state && Object.hasOwn(COMPANY_STATES, state);
  return {
    ...(search && { search }),
    ...(isState && { state: state as CompanyState }),
    ...(plan && { plan }),
  };
}

export function CompaniesSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <CompanyListSkeleton />
    </>
  );
}
