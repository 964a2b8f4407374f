"use client";

import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { companiesQuery, companyQuery } from "#app/console/(pages)/operate/companies/queries.ts";

import classes from "./mail-log.module.css";

const DEBOUNCE_MS = 250;

/** Searches companies by name, admin, domain or ID. The value "" means any company. */
export function CompanySelect({
  value,
  onChange,
}: {
  value: string;
  onChange: (id: string) => void;
}) {
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
  const selected = useQuery({ ...companyQuery(value), enabled: value !== "" });
  const name = selected.data?.name ?? `Company ${value.slice(0, 8)}`;
  // The field contains the selected company's name, which is not a search.
  const isSearch = search !== "" && search !== name;
  const { data } = useQuery(companiesQuery({}, isSearch ? { search } : {}));
  const found = data?.data.map(({ id, name }) => ({ value: id, label: name }));
  if (value === "") return found;
  return [{ value, label: name }, ...(found ?? []).filter((option) => option.value !== value)];
}
