"use client";

import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { reasons } from "./quarantine-labels.ts";
import type { QuarantineFilters, Reason } from "./queries.ts";

/** Search and reason filter, kept in the URL. Admins who see only group posts get no reason filter. */
export function QuarantineFilterBar({
  filters,
  children,
}: {
  filters: QuarantineFilters;
  /** Tools, on the right. */
  children: ReactNode;
}) {
  const current = useSearchParams();
  const { reason, search = "" } = filters;
  const privileges = usePrivileges();
  const seesPosts = privileges.has("update_users") && privileges.has("manage_groups");
  const offered: Reason[] = seesPosts ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <FilterBar>
      <SearchField
        noun="quarantined messages"
        placeholder="Sender, subject, or recipient"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      {privileges.has("update_users") && (
        <FilterChips label="Reason">
          <FilterChip
            label="All"
            href={changedSearch(current, { reason: "" })}
            isActive={!reason}
          />
          {offered.map((one) => (
            <FilterChip
              key={one}
              label={reasons[one].label}
              href={changedSearch(current, { reason: one })}
              isActive={one === reason}
            />
          ))}
        </FilterChips>
      )}
      {children}
    </FilterBar>
  );
}
