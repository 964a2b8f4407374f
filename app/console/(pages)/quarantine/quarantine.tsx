"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { isRefused, QueryView } from "#app/console/ui/query-view.tsx";

import { DecideSeveral } from "./decide-several.tsx";
import { Filters } from "./filters.tsx";
import { reasons } from "./held-words.ts";
import { NothingHeld } from "./nothing-held.tsx";
import { QuarantineList, QuarantineListSkeleton } from "./quarantine-list.tsx";
import { type QuarantineFilters, quarantineQuery, type Reason } from "./queries.ts";

const HEAD = {
  title: "Quarantine",
  sentence: "Mail that nobody has received yet. After 30 days it is deleted.",
  help: "spam",
} as const;

export function Quarantine() {
  const place = usePlace();
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
      {!isEmpty && !isRefused(held) && <Filters filters={filters} />}
      <QueryView query={held} what="the held messages" skeleton={<QuarantineListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NothingHeld />;
          if (isNone) return <NothingFound />;
          // What is not on the page any more is not decided about.
          const shown = page.data.filter(({ id }) => chosen.has(id));
          return (
            <>
              <DecideSeveral
                chosen={shown}
                isAll={shown.length === page.data.length}
                onAll={() => setChosen(new Set(page.data.map(({ id }) => id)))}
                onNone={() => setChosen(new Set())}
              />
              <QuarantineList held={page.data} chosen={chosen} onChoose={choose} />
              <PagesOfList place={place} page={page} isFormer={held.isPlaceholderData} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function NothingFound() {
  return (
    <Text py="lg" role="status">
      No held message fits.{" "}
      <Anchor component={Link} underline="always" href="/console/quarantine">
        Show all
      </Anchor>
    </Text>
  );
}

function useFilters(): QuarantineFilters {
  const asked = useSearchParams();
  const [reason, search] = [asked.get("reason"), asked.get("search")];
  return {
    ...(reason !== null && reason in reasons && { reason: reason as Reason }),
    ...(search && { search }),
  };
}

/** Until the address is known: the list's place in it is part of the page. */
export function QuarantineSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <QuarantineListSkeleton />
    </>
  );
}
