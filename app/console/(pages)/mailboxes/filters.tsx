"use client";

import { NativeSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { showSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";
import type { MailboxFilters } from "./queries.ts";

/** How long nothing is typed before the list follows. */
const PAUSE_MS = 250;

const STATES = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "suspended", label: "Suspended" },
];

/** Which mailboxes the list shows; kept in the URL. `/` leads into the search. */
export function Filters({ filters, domains }: { filters: MailboxFilters; domains: string[] }) {
  const show = (change: Record<string, string>) => {
    const given = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    showSearch(`?${new URLSearchParams(given).toString()}`);
  };
  return (
    <div className={classes.filters} role="search">
      <SearchField initial={filters.search ?? ""} onSearch={(search) => show({ search })} />
      {domains.length > 1 && (
        <NativeSelect
          aria-label="Domain"
          size="sm"
          data={[{ value: "", label: "All domains" }, ...domains]}
          value={filters.domain ?? ""}
          onChange={(event) => show({ domain: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        aria-label="Status"
        size="sm"
        data={STATES}
        value={filters.status ?? ""}
        onChange={(event) => show({ status: event.currentTarget.value })}
      />
    </div>
  );
}

function SearchField({
  initial,
  onSearch,
}: {
  initial: string;
  onSearch: (search: string) => void;
}) {
  const [typed, setTyped] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea");
      if (event.key !== "/" || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", lead);
    return () => document.removeEventListener("keydown", lead);
  }, []);
  return (
    <TextInput
      ref={field}
      size="sm"
      className={classes.search}
      aria-label="Search mailboxes"
      placeholder="Address or name"
      leftSection={<IconSearch size={14} />}
      type="search"
      value={typed}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
      }}
    />
  );
}
