"use client";

import { useRights } from "#app/console/rights.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";
import { reasons } from "./held-words.ts";
import type { QuarantineFilters, Reason } from "./queries.ts";

/** Which messages the list shows; kept in the URL. Reasons are offered to those who decide about several. */
export function Filters({ filters }: { filters: QuarantineFilters }) {
  const { reason, search = "" } = filters;
  const rights = useRights();
  const isForAll = rights.has("update_users") && rights.has("manage_groups");
  const offered: Reason[] = isForAll ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="held messages"
        hint="Sender, subject or recipient"
        asked={search}
        onSearch={(search) => changeSearch({ search })}
      />
      {rights.has("update_users") && (
        <Chips label="Reason">
          <Chip word="All" href={addressOf({ search })} isOn={!reason} />
          {offered.map((each) => (
            <Chip
              key={each}
              word={reasons[each].word}
              href={addressOf({ reason: each, search })}
              isOn={each === reason}
            />
          ))}
        </Chips>
      )}
    </div>
  );
}

/** Another choice begins at the newest again. */
function addressOf(filters: { reason?: string; search?: string }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
