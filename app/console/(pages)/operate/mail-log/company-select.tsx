"use client";

import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { companiesQuery, companyQuery } from "#app/console/(pages)/operate/companies/queries.ts";

import classes from "./mail-log.module.css";

const PAUSE_MS = 250;

/** Finds a company by what one types: name, person, domain or id. "" is any. */
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
      nothingFoundMessage={companies ? "No company fits" : "Looking…"}
      data={companies ?? []}
      // The server has searched, also by what is not shown.
      filter={({ options }) => options}
      value={value || null}
      onChange={(id) => onChange(id ?? "")}
      onSearchChange={setTyped}
    />
  );
}

/** The chosen one and those that fit; undefined before anything is known. */
function useCompanyOptions(value: string, typed: string) {
  const [search] = useDebouncedValue(typed, PAUSE_MS);
  const chosen = useQuery({ ...companyQuery(value), enabled: value !== "" });
  const name = chosen.data?.name ?? `Company ${value.slice(0, 8)}`;
  // The field shows the name of who is chosen: that is no search.
  const isSearch = search !== "" && search !== name;
  const { data } = useQuery(companiesQuery({}, isSearch ? { search } : {}));
  const found = data?.data.map(({ id, name }) => ({ value: id, label: name }));
  if (value === "") return found;
  return [{ value, label: name }, ...(found ?? []).filter((each) => each.value !== value)];
}
