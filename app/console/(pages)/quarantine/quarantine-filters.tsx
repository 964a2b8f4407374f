"use client";

import { useRights } from "#app/console/rights.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import classes from "./quarantine-filters.module.css";
import { reasons } from "./quarantine-labels.ts";
import type { QuarantineFilters, Reason } from "./queries.ts";

/** Search and reason filter, kept in the URL. Admins who see only group posts get no reason filter. */
export function QuarantineSearch({ filters }: { filters: QuarantineFilters }) {
  const { reason, search = "" } = filters;
  const rights = useRights();
  const seesPosts = rights.has("update_users") && rights.has("manage_groups");
  const offered: Reason[] = seesPosts ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="quarantined messages"
        hint="Sender, subject, or recipient"
        asked={search}
        onSearch={(search) => changeSearch({ search })}
      />
      {rights.has("update_users") && (
        <Chips label="Reason">
          <Chip word="All" href={filterUrl({ search })} isOn={!reason} />
          {offered.map((one) => (
            <Chip
              key={one}
              word={reasons[one].word}
              href={filterUrl({ reason: one, search })}
              isOn={one === reason}
            />
          ))}
        </Chips>
      )}
    </div>
  );
}

/** Drops the page position: another filter starts at the newest message. */
function filterUrl(filters: { reason?: string; search?: string }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
