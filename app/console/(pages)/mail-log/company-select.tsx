import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

import { LIST_SETTINGS, useRead } from "#app/console/endpoint-queries.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

const DEBOUNCE_MS = 250;

/**
 * Searches companies by name, admin, domain or ID. The value "" means all companies.
 *
 * @param isOpen shows the companies at once
 */
export function CompanySelect({ value, isOpen }: { value: string; isOpen: boolean }) {
  const [typed, setTyped] = useState("");
  const companies = useCompanyOptions(value, typed.trim());
  return (
    <Select
      aria-label="Company"
      placeholder="All companies"
      size="sm"
      autoFocus={isOpen}
      defaultDropdownOpened={isOpen}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Clear company" }}
      nothingFoundMessage={companies ? "No matching companies" : "Loading…"}
      data={companies ?? []}
      // The server has already filtered, also by fields that aren't in the label.
      filter={({ options }) => options}
      value={value || null}
      onChange={(id) => updateSearch({ company: id ?? "" })}
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
