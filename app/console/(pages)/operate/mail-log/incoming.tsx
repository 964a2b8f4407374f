"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";

import { filtersUrl } from "./filters-url.ts";
import { IncomingDialog } from "./incoming-dialog.tsx";
import { incomingList } from "./mail-log-columns.tsx";
import { MailLogFilters } from "./mail-log-filters.tsx";
import { MailLogPages } from "./mail-log-pages.tsx";
import { incomingQuery, type Kind, type IncomingEntry } from "./queries.ts";
import { KINDS } from "./reply-text.ts";
import { useIncomingFilters } from "./use-mail-log-filters.ts";

/** Filters by client; any other text searches addresses and replies. */
const IP_OR_NETWORK = /^[0-9a-f:.]*[.:][0-9a-f:.]*[0-9a-f:](\/\d{1,3})?$/i;

export function IncomingMail() {
  const filters = useIncomingFilters();
  const log = useInfiniteQuery(incomingQuery(filters));
  const [opened, setOpened] = useState<IncomingEntry | null>(null);
  return (
    <>
      <MailLogFilters
        filters={filters}
        hint="Address, reply, or client IP"
        search={filters.client ?? filters.search ?? ""}
        searchFilters={(text) =>
          IP_OR_NETWORK.test(text) ? { client: text, search: "" } : { client: "", search: text }
        }
      >
        <FilterChips label="Result">
          <FilterChip
            label="All"
            href={filtersUrl({ ...filters, kind: "" })}
            isActive={!filters.kind}
          />
          {(Object.keys(KINDS) as Kind[]).map((kind) => (
            <FilterChip
              key={kind}
              label={KINDS[kind].label}
              href={filtersUrl({ ...filters, kind })}
              isActive={kind === filters.kind}
            />
          ))}
        </FilterChips>
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        layout={incomingList(setOpened)}
        text={{
          noMatches:
            "If mail never reaches this server, check the sender’s log and the domain’s MX record.",
          emptyTitle: "No entries yet",
          empty: "Replies to mail servers and mail apps will appear here.",
        }}
      />
      <IncomingDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
