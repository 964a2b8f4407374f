"use client";

import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import { COMPANY_STATES } from "./company-states.ts";
import classes from "./company-list.module.css";
import type { CompanyFilterValues, CompanyState } from "./queries.ts";

export function CompanyFilters({ filters }: { filters: CompanyFilterValues }) {
  const plans = useQuery(plansQuery);
  const { state, plan = "", search = "" } = filters;
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="companies"
        hint="Name, admin, domain or ID"
        asked={search}
        onSearch={(search) => changeSearch({ search })}
      />
      <NativeSelect
        size="sm"
        aria-label="Plan"
        value={plan}
        onChange={(event) => changeSearch({ plan: event.target.value })}
        data={[
          { value: "", label: "Any plan" },
          { value: "none", label: "No plan" },
          ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Chips label="Status">
        <Chip word="All" href={filtersUrl({ plan, search })} isOn={!state} />
        {(Object.keys(COMPANY_STATES) as CompanyState[]).map((option) => (
          <Chip
            key={option}
            word={COMPANY_STATES[option].word}
            href={filtersUrl({ plan, search, state: option })}
            isOn={option === state}
          />
        ))}
      </Chips>
    </div>
  );
}

/** Leaves out `after` and `before`: new filters start at the first page. */
function filtersUrl(filters: Record<string, string>): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
