"use client";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

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
        what="suppressions"
        hint="Part of an address"
        asked={search}
        onSearch={(search) => changeSearch({ search })}
      />
      <Chips label="Reason">
        <Chip word="All" href={filterSearch({ search })} isOn={!origin} />
        {(Object.keys(originLabels) as Origin[]).map((name) => (
          <Chip
            key={name}
            word={originLabels[name].word}
            href={filterSearch({ origin: name, search })}
            isOn={name === origin}
          />
        ))}
      </Chips>
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
