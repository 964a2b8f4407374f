"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Chip, Chips } from "#app/console/ui/chips.tsx";

import { filtersUrl } from "./filters-url.ts";
import { IncomingDialog } from "./incoming-dialog.tsx";
import { IncomingList, IncomingListSkeleton } from "./incoming-list.tsx";
import { MailLogFilters } from "./mail-log-filters.tsx";
import { MailLogPages } from "./mail-log-pages.tsx";
import { incomingQuery, type Kind, type IncomingEntry } from "./queries.ts";
import { KINDS } from "./reply-text.ts";
import { useIncomingFilters } from "./use-mail-log-filters.ts";

/** An IP address or a network is looked for among clients, all else in what was said. */
const IP_OR_NETWORK = /^[0-9a-f:.]*[.:][0-9a-f:.]*[0-9a-f:](\/\d{1,3})?$/i;

/** What other servers and mail apps were answered. */
export function IncomingMail() {
  const filters = useIncomingFilters();
  const log = useInfiniteQuery(incomingQuery(filters));
  const [opened, setOpened] = useState<IncomingEntry | null>(null);
  return (
    <>
      <MailLogFilters
        filters={filters}
        hint="Address, reply or client's IP"
        asked={filters.client ?? filters.search ?? ""}
        searchFor={(text) =>
          IP_OR_NETWORK.test(text) ? { client: text, search: "" } : { client: "", search: text }
        }
      >
        <Chips label="Kind">
          <Chip word="All" href={filtersUrl({ ...filters, kind: "" })} isOn={!filters.kind} />
          {(Object.keys(KINDS) as Kind[]).map((kind) => (
            <Chip
              key={kind}
              word={KINDS[kind].word}
              href={filtersUrl({ ...filters, kind })}
              isOn={kind === filters.kind}
            />
          ))}
        </Chips>
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        skeleton={<IncomingListSkeleton />}
        list={(entries) => <IncomingList entries={entries} onOpen={setOpened} />}
        words={{
          nothingFits:
            "Nobody who fits came to this server within seven days. If mail does not even get here, look at the sender's own log, and at the MX record of the domain.",
          nothingYet: "Nothing was answered yet",
          whatComes: "As soon as a server or a mail app connects, you see here what it was told.",
        }}
      />
      <IncomingDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
