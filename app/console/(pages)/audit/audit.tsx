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

import { parseFilters } from "./filter-values.ts";
import { AuditList, AuditListSkeleton } from "./audit-list.tsx";
import { AuditExport } from "./audit-export.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { auditQuery } from "./queries.ts";

const HEAD = {
  title: "Audit log",
  sentence: "Changes in your company: who made them and when. Entries can't be edited or deleted.",
  help: "audit",
} as const;

export function Audit() {
  const place = usePlace();
  const filters = parseFilters(useSearchParams());
  const audit = useQuery(auditQuery(place, filters));
  const isFiltered = Object.keys(filters).length > 0;
  const isFirst = !place.after && !place.before;
  const isNone = audit.data?.data.length === 0;
  return (
    <>
      <PageHeader {...HEAD} action={audit.data && !isNone && <AuditExport filters={filters} />} />
      {!isRefused(audit) && <AuditFilters filters={filters} />}
      <QueryView query={audit} what="the audit log" skeleton={<AuditListSkeleton />}>
        {(page) => (
          <>
            {isNone ? (
              <NoAuditEntries isFiltered={isFiltered || !isFirst} />
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

function NoAuditEntries({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyList title="No changes yet">
        <Text>
          Changes by admins, API keys, mailbox users, operators and the system will appear here.
        </Text>
      </EmptyList>
    );
  return (
    <Text py="lg">
      No matching entries.{" "}
      <Anchor href="?" underline="always" onClick={inPlace("?")}>
        Clear filters
      </Anchor>
    </Text>
  );
}

export function AuditSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <AuditListSkeleton />
    </>
  );
}
