"use client";

import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { FilterInput } from "#app/console/(pages)/logs/more-log-filters.tsx";
import { inputToTimestamp, timestampToInput } from "#app/console/(pages)/logs/log-labels.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { CompanySelect } from "./company-select.tsx";
import classes from "./mail-log.module.css";
import type { LogFilters } from "./queries.ts";

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
