"use client";

import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";

import { LIST_SETTINGS, useRead } from "#app/console/endpoint-queries.ts";
import type { NavigationArea } from "#app/console/shell/navigation.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { MoreFilters, TimeFilters } from "#app/console/ui/filter-fields.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

/**
 * The filters of one tab, kept in the URL.
 *
 * @param search the current search text
 * @param searchFilters maps a search text to filters
 * @param children the tab's chips
 */
export function MailLogFilters({
  area,
  filters,
  hint,
  search,
  searchFilters,
  children,
}: {
  area: NavigationArea;
  filters: { company?: string; mailbox?: string; from?: string; to?: string };
  hint: string;
  search: string;
  searchFilters: (text: string) => Record<string, string>;
  children: ReactNode;
}) {
  const { company = "", mailbox, from, to } = filters;
  return (
    <FilterBar>
      <SearchField
        noun="the mail log"
        placeholder={hint}
        value={search}
        onSearch={(text) => updateSearch(searchFilters(text), "replace")}
      />
      {children}
      {mailbox && <MailboxChip mailbox={mailbox} />}
      {area === "operate" && (
        <CompanySelect value={company} onChange={(company) => updateSearch({ company })} />
      )}
      <MoreFilters
        isUsed={Boolean(from ?? to)}
        beside={Object.values(filters).some(Boolean) && <ClearFiltersButton />}
      >
        <TimeFilters from={from} to={to} />
      </MoreFilters>
    </FilterBar>
  );
}

function MailboxChip({ mailbox }: { mailbox: string }) {
  return (
    <FilterChips label="Mailbox">
      <FilterChip label={mailbox} change={{ mailbox: "" }} isActive />
    </FilterChips>
  );
}

const DEBOUNCE_MS = 250;

/** Searches companies by name, admin, domain or ID. The value "" means any company. */
function CompanySelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState("");
  const companies = useCompanyOptions(value, typed.trim());
  return (
    <Select
      aria-label="Company"
      placeholder="Any company"
      size="sm"
      w={{ base: "100%", sm: 240 }}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Any company" }}
      nothingFoundMessage={companies ? "No matching companies" : "Loading…"}
      data={companies ?? []}
      // The server has already filtered, also by fields that aren't in the label.
      filter={({ options }) => options}
      value={value || null}
      onChange={(id) => onChange(id ?? "")}
      onSearchChange={setTyped}
    />
  );
}

/** The selected company and the search results; undefined while loading. */
function useCompanyOptions(value: string, typed: string) {
  const [search] = useDebouncedValue(typed, DEBOUNCE_MS);
  const selected = useRead("companies.get", { params: { id: value } }, { enabled: value !== "" });
  const name = selected.data?.name ?? `Company ${value.slice(0, 8)}`;
  // The field contains the selected company's name, which is not a search.
  const isSearch = search !== "" && search !== name;
  const { data } = useRead(
    "companies.list",
    { query: { limit: "25", ...(isSearch && { search }) } },
    LIST_SETTINGS,
  );
  const found = data?.data.map(({ id, name }) => ({ value: id, label: name }));
  if (value === "") return found;
  return [{ value, label: name }, ...(found ?? []).filter((option) => option.value !== value)];
}

/** The URL of the newest entries with these filters. */
export function filtersUrl(filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => !!pair[1]);
  return `?${new URLSearchParams(given).toString()}`;
}
