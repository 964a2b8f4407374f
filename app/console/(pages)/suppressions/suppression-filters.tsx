"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { useSearchParams } from "next/navigation";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import { type ListParams, ListTools } from "#app/console/ui/list-tools.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import type { Origin, SuppressionFilterParams, SuppressionRow } from "./queries.ts";
import { originLabels } from "./suppression-labels.ts";

export function SuppressionFilters({
  filters: { origin, search = "" },
  layout,
  params,
}: {
  filters: SuppressionFilterParams;
  layout: ListLayout<SuppressionRow>;
  params: ListParams & { sort: SortOf<typeof TIME_SORTS> };
}) {
  const current = useSearchParams();
  const { sort } = params;
  return (
    <FilterBar>
      <SearchField
        noun="suppressions"
        placeholder="Part of an address"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      <FilterChips label="Reason">
        <FilterChip label="All" href={changedSearch(current, { origin: "" })} isActive={!origin} />
        {(Object.keys(originLabels) as Origin[]).map((name) => (
          <FilterChip
            key={name}
            label={originLabels[name].label}
            href={changedSearch(current, { origin: name })}
            isActive={name === origin}
          />
        ))}
      </FilterChips>
      <ListTools
        {...{ layout, params }}
        exportUrl={downloadUrl("suppressions.export", { query: { origin, search, sort } })}
      />
    </FilterBar>
  );
}
