"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { isRefused, QueryView } from "#app/console/ui/query-view.tsx";
import { SearchFurther } from "#app/console/ui/search-further.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";

import { readFilters } from "./audit-filters.ts";
import { AuditList, AuditListSkeleton } from "./audit-list.tsx";
import { Export } from "./export.tsx";
import { Filters } from "./filters.tsx";
import { auditQuery } from "./queries.ts";

const HEAD = {
  title: "Audit log",
  sentence: "Who changed what, through whichever door. Nothing is ever taken out of it.",
  help: "audit",
} as const;

export function Audit() {
  const place = usePlace();
  const filters = readFilters(useSearchParams());
  const audit = useQuery(auditQuery(place, filters));
  const isFiltered = Object.keys(filters).length > 0;
  const isFirst = !place.after && !place.before;
  const isNone = audit.data?.data.length === 0;
  return (
    <>
      <PageHeader {...HEAD} action={audit.data && !isNone && <Export filters={filters} />} />
      {!isRefused(audit) && <Filters filters={filters} />}
      <QueryView query={audit} what="the audit log" skeleton={<AuditListSkeleton />}>
        {(page) => (
          <>
            {isNone ? (
              <Nothing isFiltered={isFiltered || !isFirst} />
            ) : (
              <AuditList entries={page.data} filters={filters} />
            )}
            {!place.before && <SearchFurther searchedTo={page.searched_to} />}
            <PagesOfList place={place} page={page} isFormer={audit.isPlaceholderData} />
          </>
        )}
      </QueryView>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyList title="Nothing has been changed yet">
        <Text>
          Every change in this company is written here: by people, API keys, mailboxes, operators
          and the system itself.
        </Text>
      </EmptyList>
    );
  return (
    <Text py="lg">
      No entry fits.{" "}
      <Anchor href="?" underline="always" onClick={inPlace("?")}>
        Show all
      </Anchor>
    </Text>
  );
}

/** Until the address is known: filters and place in it are part of the page. */
export function AuditSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <AuditListSkeleton />
    </>
  );
}
