"use client";

import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { FilterInput } from "#app/console/(pages)/logs/more-log-filters.tsx";
import { inputToTimestamp, timestampToInput } from "#app/console/(pages)/logs/log-labels.ts";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch, showSearch } from "#app/console/ui/show-search.ts";

import { filtersUrl } from "./filters-url.ts";
import { CompanySelect } from "./company-select.tsx";
import classes from "./mail-log.module.css";
import type { LogFilters } from "./queries.ts";

type FilterProps = {
  filters: LogFilters & { tab?: string };
  hint: string;
  asked: string;
  searchFor: (text: string) => Record<string, string>;
  children: ReactNode;
};

/**
 * Which entries a direction shows; kept in the URL.
 *
 * @param asked what is searched for
 * @param searchFor the filters that a text is
 * @param children the chips of the direction
 */
export function MailLogFilters({ filters, hint, asked, searchFor, children }: FilterProps) {
  const [isMore, setIsMore] = useState(false);
  const { tab, company = "", from, to } = filters;
  const isOfTime = Boolean(from ?? to);
  const isFiltered = Object.keys(filters).some((name) => name !== "tab");
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          what="the mail log"
          hint={hint}
          asked={asked}
          onSearch={(text) => changeSearch(searchFor(text))}
        />
        {children}
      </div>
      <div className={classes.line}>
        <CompanySelect value={company} onChange={(company) => changeSearch({ company })} />
        {!isOfTime && (
          <Button
            variant="subtle"
            size="xs"
            aria-expanded={isMore}
            onClick={() => setIsMore(!isMore)}
          >
            {isMore ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {isFiltered && (
          <Button variant="subtle" size="xs" onClick={() => showSearch(filtersUrl({ tab }))}>
            Clear filters
          </Button>
        )}
      </div>
      {(isMore || isOfTime) && (
        <div className={classes.rare}>
          <FilterInput
            label="From"
            type="datetime-local"
            value={timestampToInput(from)}
            onValue={(text) => changeSearch({ from: inputToTimestamp(text) })}
          />
          <FilterInput
            label="To"
            type="datetime-local"
            value={timestampToInput(to)}
            onValue={(text) => changeSearch({ to: inputToTimestamp(text) })}
          />
        </div>
      )}
    </div>
  );
}
