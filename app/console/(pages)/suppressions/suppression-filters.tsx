"use client";

import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { ExportSuppressionsButton } from "./export-button.tsx";
import classes from "./suppression-filters.module.css";
import type { Origin, SuppressionFilterParams } from "./queries.ts";
import { originLabels } from "./suppression-labels.ts";

/** Filters for the list and for the export. */
export function SuppressionFilters({ filters }: { filters: SuppressionFilterParams }) {
  const { origin, search = "" } = filters;
  return (
    <div className={classes.filters} role="search">
      <SearchField
        noun="suppressions"
        placeholder="Part of an address"
        value={search}
        onSearch={(search) => updateSearch({ search })}
      />
      <FilterChips label="Reason">
        <FilterChip label="All" href={filterSearch({ search })} isActive={!origin} />
        {(Object.keys(originLabels) as Origin[]).map((name) => (
          <FilterChip
            key={name}
            label={originLabels[name].label}
            href={filterSearch({ origin: name, search })}
            isActive={name === origin}
          />
        ))}
      </FilterChips>
      <div className={classes.export}>
        <ExportSuppressionsButton filters={filters} />
      </div>
    </div>
  );
}

/** Drops the page position, so the list starts at the newest suppression. */
function filterSearch(filters: { origin?: string; search?: string }): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(entries).toString()}`;
}
