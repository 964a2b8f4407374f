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
  { value: "", label: "Any status" },
  { value: "active", label: "Active" },
  { value: "suspended", label: "Suspended" },
];

/** Which mailboxes the list shows; kept in the URL. `/` leads into the search. */
export function Filters({ filters, domains }: { filters: MailboxFilters; domains: string[] }) {
  const show = (change: Record<string, string>) => {
    const given = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    showSearch(`?${new URLSearchParams(given).toString()}`);
  };
  const offered = [...new Set([...domains, ...(filters.domain ? [filters.domain] : [])])];
  return (
    <div className={classes.filters} role="search">
      <SearchField asked={filters.search ?? ""} onSearch={(search) => show({ search })} />
      <NativeSelect
        aria-label="Status"
        size="sm"
        data={STATES}
        value={filters.status ?? ""}
        onChange={(event) => show({ status: event.currentTarget.value })}
      />
      {/* Last: it comes once the domains are known. */}
      {offered.length > 1 && (
        <NativeSelect
          aria-label="Domain"
          size="sm"
          data={[{ value: "", label: "All domains" }, ...offered]}
          value={filters.domain ?? ""}
          onChange={(event) => show({ domain: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

/** @param asked what the URL says; it is followed while nobody types here */
function SearchField({ asked, onSearch }: { asked: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(asked);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (document.activeElement === field.current) return;
    clearTimeout(timer.current);
    setTyped(asked);
  }, [asked]);
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey) return;
      const own = "input, textarea, select, [role=dialog]";
      if (event.target instanceof Element && event.target.closest(own)) return;
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
      maxLength={200}
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
