import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import classes from "./filter-chips.module.css";
import { changedSearch, navigateInPlace, type SearchChange, updateSearch } from "./url-search.ts";

type Choice = {
  /** The URL parameter. */
  name: string;
  /** The control's accessible name. */
  label: string;
  value: string | undefined;
};

type ChoiceChipsProps = Choice & { options: Readonly<Record<string, { label: string }>> };

/** A filter with few options, all of them visible. */
export const ChoiceChips = ({ name, label, value, options }: ChoiceChipsProps) => (
  <FilterChips label={label}>
    <FilterChip label="All" change={{ [name]: "" }} isActive={!value} />
    {Object.entries(options).map(([option, { label }]) => (
      <FilterChip
        key={option}
        label={label}
        change={{ [name]: option }}
        isActive={option === value}
      />
    ))}
  </FilterChips>
);

type FilterSelectProps = Choice & { all: string; data?: NativeSelectProps["data"] };

/**
 * A filter with many options.
 *
 * @param all the label of the option that turns the filter off
 */
export const FilterSelect = ({ name, label, value = "", all, data = [] }: FilterSelectProps) => (
  <NativeSelect
    aria-label={label}
    size="sm"
    data={[{ value: "", label: all }, ...data]}
    value={value}
    onChange={(event) => updateSearch({ [name]: event.currentTarget.value })}
  />
);

type Option = { value: string; label: string };

/** The options, and the value in the URL if it isn't one of them, or not until they are loaded. */
export const withSelected = (options: Option[], value = "", label = value): Option[] =>
  value === "" || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label }];

/** The options of one filter. */
export const FilterChips = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className={classes.chips}>
    {children}
  </nav>
);

type FilterChipProps = { label: string; change: SearchChange; isActive: boolean };

/** A filter option that links to the same page with other URL parameters. */
export const FilterChip = ({ label, change, isActive }: FilterChipProps) => (
  <Link
    href={changedSearch(useSearchParams(), change)}
    // Same page: nothing to prefetch.
    prefetch={false}
    onNavigate={navigateInPlace(change)}
    className={classes.chip}
    aria-current={isActive ? "true" : undefined}
  >
    {label}
  </Link>
);
