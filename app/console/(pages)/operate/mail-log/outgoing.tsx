"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";

import { filtersUrl } from "./filters-url.ts";
import { outgoingList } from "./mail-log-columns.tsx";
import { MailLogFilters } from "./mail-log-filters.tsx";
import { MailLogPages } from "./mail-log-pages.tsx";
import { OutgoingDialog } from "./outgoing-dialog.tsx";
import { type OutgoingEntry, outgoingQuery, type Result } from "./queries.ts";
import { RESULTS } from "./reply-text.ts";
import { useOutgoingFilters } from "./use-mail-log-filters.ts";

export function OutgoingMail() {
  const filters = useOutgoingFilters();
  const log = useInfiniteQuery(outgoingQuery(filters));
  const [opened, setOpened] = useState<OutgoingEntry | null>(null);
  const address = (fields: Partial<typeof filters> | { result: "" } | { message: "" }) =>
    filtersUrl({ ...filters, tab: "outgoing", ...fields });
  return (
    <>
      <MailLogFilters
        filters={{ ...filters, tab: "outgoing" }}
        hint="Address or domain"
        search={filters.search ?? ""}
        searchFilters={(search) => ({ search })}
      >
        <FilterChips label="Result">
          <FilterChip label="All" href={address({ result: "" })} isActive={!filters.result} />
          {(Object.keys(RESULTS) as Result[]).map((result) => (
            <FilterChip
              key={result}
              label={RESULTS[result].label}
              href={address({ result })}
              isActive={result === filters.result}
            />
          ))}
        </FilterChips>
        {filters.message && (
          <FilterChips label="Message">
            <FilterChip label="One message" href={address({ message: "" })} isActive />
          </FilterChips>
        )}
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        layout={outgoingList(setOpened)}
        text={{
          noMatches: "Mail without an attempt is in the queue, or on hold in its company.",
          emptyTitle: "No delivery attempts yet",
          empty: "Delivery attempts to other servers and to mailboxes here will appear here.",
        }}
      />
      <OutgoingDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
