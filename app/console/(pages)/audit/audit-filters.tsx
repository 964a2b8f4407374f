"use client";

import { NativeSelect, TextInput } from "@mantine/core";
import { useSearchParams } from "next/navigation";

import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { ACTOR_KINDS, AREAS, type AuditFilterValues } from "./filter-values.ts";
import classes from "./audit-filters.module.css";

const ORDERS = [
  { value: "-created", label: "Newest first" },
  { value: "created", label: "Oldest first" },
];

export function AuditFilters({ filters, sort }: { filters: AuditFilterValues; sort: string }) {
  const current = useSearchParams();
  const change = (fields: Record<string, string>) => changedSearch(current, fields);
  const show = (fields: Record<string, string>) => updateSearch(fields);
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          noun="the audit log"
          placeholder="Actor, action, or detail"
          value={filters.search ?? ""}
          onSearch={(search) => updateSearch({ search }, "replace")}
        />
        <FilterChips label="Actor type">
          <FilterChip label="All" href={change({ actorKind: "" })} isActive={!filters.actorKind} />
          {Object.entries(ACTOR_KINDS).map(([kind, word]) => (
            <FilterChip
              key={kind}
              label={word}
              href={change({ actorKind: kind })}
              isActive={filters.actorKind === kind}
            />
          ))}
        </FilterChips>
      </div>
      <div className={`${classes.line} ${classes.choices}`}>
        <NativeSelect
          size="sm"
          className={classes.area}
          aria-label="Area"
          data={[
            { value: "", label: "All areas" },
            ...Object.entries(AREAS).map(([value, label]) => ({ value, label })),
          ]}
          value={filters.area ?? ""}
          onChange={(event) => show({ area: event.currentTarget.value })}
        />
        <DateField label="From" value={filters.from} onChange={(from) => show({ from })} />
        <DateField label="To" value={filters.to} onChange={(to) => show({ to })} />
        {filters.actor && (
          <FilterChips label="Actor">
            <FilterChip label={`By ${filters.actor} ×`} href={change({ actor: "" })} isActive />
          </FilterChips>
        )}
        {Object.keys(filters).length > 0 && <ClearFiltersButton />}
        <NativeSelect
          size="sm"
          className={classes.order}
          aria-label="Sort by"
          data={ORDERS}
          value={sort}
          onChange={({ currentTarget: { value } }) =>
            show({ sort: value === "created" ? value : "" })
          }
        />
      </div>
    </div>
  );
}

function DateField({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <label className={classes.day}>
      {label}
      <TextInput
        type="date"
        size="sm"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
