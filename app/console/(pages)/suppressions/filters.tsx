"use client";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import { ExportButton } from "./export-button.tsx";
import classes from "./filters.module.css";
import type { Origin, SuppressionFilters } from "./queries.ts";
import { origins } from "./suppression-words.ts";

/** Which addresses the list shows, and the file has; kept in the URL. */
export function Filters({ filters }: { filters: SuppressionFilters }) {
  const { origin, search = "" } = filters;
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="suppressions"
        hint="Part of an address"
        asked={search}
        onSearch={(search) => changeSearch({ search })}
      />
      <Chips label="Why">
        <Chip word="All" href={addressOf({ search })} isOn={!origin} />
        {(Object.keys(origins) as Origin[]).map((each) => (
          <Chip
            key={each}
            word={origins[each].word}
            href={addressOf({ origin: each, search })}
            isOn={each === origin}
          />
        ))}
      </Chips>
      <div className={classes.export}>
        <ExportButton filters={filters} />
      </div>
    </div>
  );
}

/** Another choice begins at the newest again. */
function addressOf(filters: { origin?: string; search?: string }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
