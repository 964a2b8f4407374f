"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { CompanyList, CompanyListSkeleton } from "./company-list.tsx";
import { COMPANY_STATES } from "./company-states.ts";
import { CompanyFilters } from "./company-filters.tsx";
import { companiesQuery, type CompanyFilterValues, type CompanyState } from "./queries.ts";

const HEADER = {
  title: "Companies",
  sentence: "Everybody who sends and receives mail through this Posthouse.",
};

export function Companies() {
  const place = usePlace();
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
      <QueryView query={companies} what="the companies" skeleton={<CompanyListSkeleton />}>
        {(page) =>
          isNone ? (
            <NoCompanies isFiltered={isFiltered} />
          ) : (
            <>
              <CompanyList companies={page.data} />
              <PagesOfList place={place} page={page} isFormer={companies.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

function NoCompanies({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyList title={isFiltered ? "No company fits" : "No company yet"}>
      <Text c="dimmed">
        {isFiltered ? (
          <>
            Search for something else, or{" "}
            <Anchor component={Link} underline="always" href="/console/operate/companies">
              show all companies
            </Anchor>
            .
          </>
        ) : (
          "Create the first one: its owner gets a link to set a password."
        )}
      </Text>
    </EmptyList>
  );
}

function useFilters(): CompanyFilterValues {
  const asked = useSearchParams();
  const [search, state, plan] = ["search", "state", "plan"].map((name) => asked.get(name));
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
