"use client";

import { usePrivileges } from "#app/console/privileges.ts";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import classes from "./quarantine-filter-bar.module.css";
import { reasons } from "./quarantine-labels.ts";
import type { QuarantineFilters, Reason } from "./queries.ts";

/** Search and reason filter, kept in the URL. Admins who see only group posts get no reason filter. */
export function QuarantineFilterBar({ filters }: { filters: QuarantineFilters }) {
  const { reason, search = "" } = filters;
  const privileges = usePrivileges();
  const seesPosts = privileges.has("update_users") && privileges.has("manage_groups");
  const offered: Reason[] = seesPosts ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <div className={classes.filters} role="search">
      <SearchField
        noun="quarantined messages"
        placeholder="Sender, subject, or recipient"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      {privileges.has("update_users") && (
        <FilterChips label="Reason">
          <FilterChip label="All" href={filterUrl({ search })} isActive={!reason} />
          {offered.map((one) => (
            <FilterChip
              key={one}
              label={reasons[one].label}
              href={filterUrl({ reason: one, search })}
              isActive={one === reason}
            />
          ))}
        </FilterChips>
      )}
    </div>
  );
}

/** Drops the page position: another filter starts at the newest message. */
function filterUrl(filters: { reason?: string; search?: string }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
