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

/** What became of mail on its way out. */
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
        hint="Address or domain, of either side"
        asked={filters.search ?? ""}
        searchFor={(search) => ({ search })}
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
        words={{
          nothingFits:
            "No attempt fits. Mail that has not been tried yet waits in the queue, and mail of a mailbox whose sending is held waits for its company.",
          nothingYet: "Nothing has left yet",
          whatComes:
            "As soon as mail leaves for another server or a mailbox here, you see what became of it.",
        }}
      />
      <OutgoingDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
