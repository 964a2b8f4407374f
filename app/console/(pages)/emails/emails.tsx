"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { ComposeButton } from "./compose-button.tsx";
import { parseFilters } from "./filter-params.ts";
import { EmailList, EmailListSkeleton } from "./email-list.tsx";
import { EmailFilters } from "./email-filters.tsx";
import { EmailListStatus } from "./email-list-status.tsx";
import { NoEmails } from "./no-emails.tsx";
import { useEmailSearch } from "./use-email-search.ts";
import { usePinnedRows } from "./use-pinned-rows.ts";

export function Emails() {
  const place = useStablePlace();
  const search = useSearchParams();
  const filters = useMemo(() => parseFilters(search), [search]);
  const { query, listKey, page, search: progress } = useEmailSearch(place, filters);
  const pinned = usePinnedRows(listKey, page.data);

  const isFiltered = Object.keys(filters).length > 0;
  const isTop = !place.after && !place.before;
  const isEmpty = query.isSuccess && isTop && !isFiltered && page.data.length === 0;
  return (
    <>
      <PageHeader
        title="Emails"
        help="first-email"
        description="Emails your company sends through the API and the console."
        action={!query.isLoadingError && !isEmpty && <ComposeButton />}
      />
      {!isEmpty && !isForbidden(query) && <EmailFilters filters={filters} />}
      <QueryView query={query} noun="the emails" skeleton={<EmailListSkeleton filters={filters} />}>
        {() => {
          if (isEmpty) return <NoEmails />;
          return (
            <>
              <EmailListStatus
                progress={progress}
                waiting={pinned.waiting}
                onShow={pinned.showAll}
              />
              <div ref={pinned.list}>
                {pinned.rows.length > 0 && <EmailList emails={pinned.rows} filters={filters} />}
              </div>
              {pinned.rows.length === 0 && <NoMatchingEmails isSearching={progress.isSearching} />}
              <Pagination
                cursor={place}
                page={{ ...page, data: pinned.rows }}
                isPlaceholder={
                  query.isPlaceholderData || progress.isSearching || progress.isStopped
                }
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function NoMatchingEmails({ isSearching }: { isSearching: boolean }) {
  if (isSearching)
    return (
      <EmptyState title="No matching emails yet">
        <Text c="dimmed">Still searching older emails…</Text>
      </EmptyState>
    );
  return (
    <EmptyState title="No matching emails">
      <Text c="dimmed">
        Try other filters, or{" "}
        <Anchor component={Link} underline="always" href="?" onNavigate={navigateInPlace("?")}>
          clear filters
        </Anchor>
        .
      </Text>
    </EmptyState>
  );
}

/** Returns the same object until the page position in the URL changes, as hook dependencies need it. */
function useStablePlace() {
  const { after, before } = usePageCursor();
  return useMemo(() => (after ? { after } : before ? { before } : {}), [after, before]);
}
