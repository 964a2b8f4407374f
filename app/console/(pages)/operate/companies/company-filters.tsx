"use client";

import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { COMPANY_STATES } from "./company-states.ts";
import classes from "./company-list.module.css";
import type { CompanyFilterValues, CompanyState } from "./queries.ts";

export function CompanyFilters({ filters }: { filters: CompanyFilterValues }) {
  const plans = useQuery(plansQuery);
  const { state, plan = "", search = "" } = filters;
  return (
    <div className={classes.filters} role="search">
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
        <FilterChip label="All" href={filtersUrl({ plan, search })} isActive={!state} />
        {(Object.keys(COMPANY_STATES) as CompanyState[]).map((option) => (
          <FilterChip
            key={option}
            label={COMPANY_STATES[option].label}
            href={filtersUrl({ plan, search, state: option })}
            isActive={option === state}
          />
        ))}
      </FilterChips>
    </div>
  );
}

/** Leaves out `after` and `before`: new filters start at the first page. */
function filtersUrl(filters: Record<string, string>): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
