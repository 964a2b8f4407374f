"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Chip, Chips } from "#app/console/ui/chips.tsx";

import { filtersUrl } from "./filters-url.ts";
import { MailLogFilters } from "./mail-log-filters.tsx";
import { MailLogPages } from "./mail-log-pages.tsx";
import { OutgoingDialog } from "./outgoing-dialog.tsx";
import { OutgoingList, OutgoingListSkeleton } from "./outgoing-list.tsx";
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
        hint="Sender or recipient address or domain"
        search={filters.search ?? ""}
        searchFilters={(search) => ({ search })}
      >
        <Chips label="Result">
          <Chip word="All" href={address({ result: "" })} isOn={!filters.result} />
          {(Object.keys(RESULTS) as Result[]).map((result) => (
            <Chip
              key={result}
              word={RESULTS[result].word}
              href={address({ result })}
              isOn={result === filters.result}
            />
          ))}
        </Chips>
        {filters.message && (
          <Chips label="Message">
            <Chip word="One message" href={address({ message: "" })} isOn />
          </Chips>
        )}
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        skeleton={<OutgoingListSkeleton />}
        list={(entries) => <OutgoingList entries={entries} onOpen={setOpened} />}
        text={{
          noMatches:
            "No matching delivery attempts. Mail without an attempt is in the queue, or on hold in its company.",
          emptyTitle: "No delivery attempts yet",
          empty: "Delivery attempts to other servers and to mailboxes here will appear here.",
        }}
      />
      <OutgoingDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
