"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { QuarantineBulkActions } from "./quarantine-bulk-actions.tsx";
import { QuarantineFilterBar } from "./quarantine-filter-bar.tsx";
import { reasons } from "./quarantine-labels.ts";
import { QuarantineList, QuarantineListSkeleton } from "./quarantine-list.tsx";
import { type QuarantineFilters, quarantineQuery, type Reason } from "./queries.ts";

const HEAD = {
  title: "Quarantine",
  sentence: "Incoming messages kept from mailboxes. Posthouse deletes them after 30 days.",
  help: "spam",
} as const;

export function Quarantine() {
  const place = usePageCursor();
  const filters = useFilters();
  const held = useQuery(quarantineQuery(place, filters));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      if (isChosen) after.add(id);
      else after.delete(id);
      return after;
    });
  const isNone = held.data?.data.length === 0 && !place.after && !place.before;
  const isEmpty = isNone && Object.keys(filters).length === 0;
  return (
    <>
      <PageHeader {...HEAD} />
      {!isEmpty && !isForbidden(held) && <QuarantineFilterBar filters={filters} />}
      <QueryView query={held} noun="quarantined messages" skeleton={<QuarantineListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NoQuarantinedMessages />;
          if (isNone) return <NoMatchingMessages />;
          // Messages that have left the page are no longer selected.
          const shown = page.data.filter(({ id }) => chosen.has(id));
          return (
            <>
              <QuarantineBulkActions
                chosen={shown}
                isAll={shown.length === page.data.length}
                onAll={() => setChosen(new Set(page.data.map(({ id }) => id)))}
                onNone={() => setChosen(new Set())}
              />
              <QuarantineList messages={page.data} chosen={chosen} onChoose={choose} />
              <Pagination cursor={place} page={page} isPlaceholder={held.isPlaceholderData} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function NoQuarantinedMessages() {
  return (
    <EmptyState title="No messages in quarantine">
      <Text c="dimmed">
        Likely spam, messages with viruses, and group posts awaiting a moderator are kept here. They
        aren’t delivered until someone releases them. Messages with a lower spam score go to the
        recipient’s Junk folder instead.
      </Text>
      <Text c="dimmed">
        rspamd detects spam and viruses. Run <code>posthouse doctor</code> on the server to check
        that it is working.
      </Text>
    </EmptyState>
  );
}

function NoMatchingMessages() {
  return (
    <Text py="lg" role="status">
      No matching messages.{" "}
      <Anchor component={Link} underline="always" href="/console/quarantine">
        Clear filters
      </Anchor>
    </Text>
  );
}

function useFilters(): QuarantineFilters {
  const asked = useSearchParams();
  const [reason, search] = [asked.get("reason"), asked.get("search")];
  return {
    ...(reason !== null && Object.hasOwn(reasons, reason) && { reason: reason as Reason }),
    ...(search && { search }),
  };
}

/** Shown until the URL's search parameters are known. */
export function QuarantineSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <QuarantineListSkeleton />
    </>
  );
}
