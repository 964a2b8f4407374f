"use client";

import { Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";

import { FilterInput } from "#app/console/(pages)/logs/log-filters.tsx";
import { inputToTimestamp, timestampToInput } from "#app/console/(pages)/logs/log-labels.ts";
import { LIST_SETTINGS, useOne } from "#app/console/endpoint-queries.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { anyText, oneOf, timestamp, useUrlFilters, uuid } from "#app/console/ui/url-filters.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

import classes from "./mail-log.module.css";
import type { IncomingFilters, LogFilters, OutgoingFilters } from "./queries.ts";
import { KINDS, RESULTS } from "./reply-text.ts";

type FilterProps = {
  filters: LogFilters & { tab?: string };
  hint: string;
  search: string;
  searchFilters: (text: string) => Record<string, string>;
  children: ReactNode;
};

/**
 * The filters of one tab, kept in the URL.
 *
 * @param search the current search text
 * @param searchFilters maps a search text to filters
 * @param children the tab's chips
 */
export function MailLogFilters({ filters, hint, search, searchFilters, children }: FilterProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const { company = "", from, to } = filters;
  const hasTimeFilter = Boolean(from ?? to);
  const isFiltered = Object.keys(filters).some((name) => name !== "tab");
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          noun="the mail log"
          placeholder={hint}
          value={search}
          onSearch={(text) => updateSearch(searchFilters(text), "replace")}
        />
        {children}
      </div>
      <div className={classes.line}>
        <CompanySelect value={company} onChange={(company) => updateSearch({ company })} />
        {!hasTimeFilter && (
          <Button
            variant="subtle"
            size="xs"
            aria-expanded={isExpanded}
            onClick={() => setIsExpanded(!isExpanded)}
          >
            {isExpanded ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {isFiltered && <ClearFiltersButton />}
      </div>
      {(isExpanded || hasTimeFilter) && (
        <div className={classes.rare}>
          <FilterInput
            label="From"
            type="datetime-local"
            value={timestampToInput(from)}
            onValue={(text) => updateSearch({ from: inputToTimestamp(text) }, "replace")}
          />
          <FilterInput
            label="To"
            type="datetime-local"
            value={timestampToInput(to)}
            onValue={(text) => updateSearch({ to: inputToTimestamp(text) }, "replace")}
          />
        </div>
      )}
    </div>
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
      className={classes.company}
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
  const selected = useOne("companies.get", { params: { id: value } }, { enabled: value !== "" });
  const name = selected.data?.name ?? `Company ${value.slice(0, 8)}`;
  // The field contains the selected company's name, which is not a search.
  const isSearch = search !== "" && search !== name;
  const { data } = useOne(
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

const SHARED = { search: anyText, company: uuid, from: timestamp, to: timestamp };
const INCOMING = { ...SHARED, kind: oneOf(KINDS), client: anyText };
const OUTGOING = { ...SHARED, result: oneOf(RESULTS), message: uuid };

/** Filters that stay when the user switches between tabs. */
export const useLogFilters = (): LogFilters => useUrlFilters(SHARED);

export const useIncomingFilters = (): IncomingFilters => useUrlFilters(INCOMING);

export const useOutgoingFilters = (): OutgoingFilters => useUrlFilters(OUTGOING);
