"use client";

import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { COMPANY_STATES } from "./company-states.ts";
import type { CompanyFilterValues, CompanyState } from "./queries.ts";

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
