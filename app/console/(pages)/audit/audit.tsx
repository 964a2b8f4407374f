"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { EmptyState } from "#app/console/ui/panel.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";

import { useAuditFilters } from "./filter-values.ts";
import { AuditList, AuditListSkeleton } from "./audit-list.tsx";
import { AuditExport } from "./audit-export.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { auditQuery } from "./queries.ts";

const HEAD = {
  title: "Audit log",
  sentence: "Changes in your company: who made them and when. Entries can’t be edited or deleted.",
  help: "audit",
} as const;

export function Audit() {
  const place = usePageCursor();
  const filters = useAuditFilters();
  const { sort } = useListParams(TIME_SORTS);
  const audit = useQuery(auditQuery(place, filters, sort));
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = audit.data?.data.length === 0;
  return (
    <>
      <PageHeader
        {...HEAD}
        action={audit.data && !isNone && <AuditExport filters={filters} sort={sort} />}
      />
      {!isForbidden(audit) && <AuditFilters filters={filters} sort={sort} />}
      <QueryView query={audit} noun="the audit log" skeleton={<AuditListSkeleton />}>
        {(page) => (
          <>
            {isNone ? (
              isFirstPage(place) && <NoAuditEntries isFiltered={isFiltered} />
            ) : (
              <AuditList entries={page.data} />
            )}
            {!place.before && <ContinueSearch searchedTo={page.searchedTo} />}
            <Pagination cursor={place} page={page} isPlaceholder={audit.isPlaceholderData} />
          </>
        )}
      </QueryView>
    </>
  );
}

function NoAuditEntries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <NoResults noun="entries" />;
  return (
    <EmptyState title="No changes yet">
      <Text>
        Changes by admins, API keys, mailbox users, operators, and the system appear here.
      </Text>
    </EmptyState>
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
