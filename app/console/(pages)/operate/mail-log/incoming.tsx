"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Chip, Chips } from "#app/console/ui/chips.tsx";

import { addressOf } from "./address-of.ts";
import { EntryDialog } from "./entry-dialog.tsx";
import { EntryList, EntryListSkeleton } from "./entry-list.tsx";
import { Filters } from "./filters.tsx";
import { LogPages } from "./log-pages.tsx";
import { incomingQuery, type Kind, type LogEntry } from "./queries.ts";
import { kinds } from "./reply-words.ts";
import { useIncomingFilters } from "./use-filters.ts";

/** An IP address or a network is looked for among clients, all else in what was said. */
const IS_NETWORK = /^[0-9a-f:.]*[.:][0-9a-f:.]*[0-9a-f:](\/\d{1,3})?$/i;

/** What other servers and mail apps were answered. */
export function Incoming() {
  const filters = useIncomingFilters();
  const log = useInfiniteQuery(incomingQuery(filters));
  const [opened, setOpened] = useState<LogEntry | null>(null);
  return (
    <>
      <Filters
        filters={filters}
        hint="Address, reply or client's IP"
        asked={filters.client ?? filters.search ?? ""}
        searchFor={(text) =>
          IS_NETWORK.test(text) ? { client: text, search: "" } : { client: "", search: text }
        }
      >
        <Chips label="Kind">
          <Chip word="All" href={addressOf({ ...filters, kind: "" })} isOn={!filters.kind} />
          {(Object.keys(kinds) as Kind[]).map((kind) => (
            <Chip
              key={kind}
              word={kinds[kind].word}
              href={addressOf({ ...filters, kind })}
              isOn={kind === filters.kind}
            />
          ))}
        </Chips>
      </Filters>
      <LogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        skeleton={<EntryListSkeleton />}
        list={(entries) => <EntryList entries={entries} onOpen={setOpened} />}
        words={{
          nothingFits:
            "Nobody who fits came to this server within seven days. If mail does not even get here, look at the sender's own log, and at the MX record of the domain.",
          nothingYet: "Nothing was answered yet",
          whatComes: "As soon as a server or a mail app connects, you see here what it was told.",
        }}
      />
      <EntryDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
