"use client";

import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";

import { useRights } from "#app/console/rights.ts";
import { inPlace, showSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";
import { reasons } from "./held-words.ts";
import type { QuarantineFilters, Reason } from "./queries.ts";

/** How long nothing is typed before the list follows. */
const PAUSE_MS = 250;

/** Which messages the list shows; kept in the URL. Reasons are offered to those who decide about several. */
export function Filters({ filters }: { filters: QuarantineFilters }) {
  const { reason, search = "" } = filters;
  const rights = useRights();
  const isForAll = rights.has("update_users") && rights.has("manage_groups");
  const offered: Reason[] = isForAll ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <div className={classes.filters} role="search">
      <SearchField
        initial={search}
        onSearch={(search) => showSearch(addressOf({ ...filters, search }))}
      />
      {rights.has("update_users") && (
        <nav aria-label="Reason" className={classes.chips}>
          <Chip word="All" href={addressOf({ search })} isOn={!reason} />
          {offered.map((each) => (
            <Chip
              key={each}
              word={reasons[each].word}
              href={addressOf({ reason: each, search })}
              isOn={each === reason}
            />
          ))}
        </nav>
      )}
    </div>
  );
}

/** Another choice begins at the newest again. */
function addressOf(filters: { reason?: string; search?: string }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}

function Chip({ word, href, isOn }: { word: string; href: string; isOn: boolean }) {
  return (
    <Link
      href={href}
      onNavigate={inPlace(href)}
      className={classes.chip}
      aria-current={isOn ? "true" : undefined}
    >
      {word}
    </Link>
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
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <TextInput
      size="sm"
      className={classes.search}
      aria-label="Search held messages"
      placeholder="Sender, subject or recipient"
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
