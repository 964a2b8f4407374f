"use client";

import { useSearchParams } from "next/navigation";
import { useMemo } from "react";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { isRefused, QueryView } from "#app/console/ui/query-view.tsx";

import { Compose } from "./compose-button.tsx";
import { filtersIn } from "./email-filters.ts";
import { EmailList, EmailListSkeleton } from "./email-list.tsx";
import { Filters } from "./filters.tsx";
import { ListLine } from "./list-line.tsx";
import { NoEmails } from "./no-emails.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { useFoundEmails } from "./use-found-emails.ts";
import { useSteadyRows } from "./use-steady-rows.ts";

export function Emails() {
  const place = usePlaceOnce();
  const search = useSearchParams();
  const filters = useMemo(() => filtersIn(search), [search]);
  const { query, asked, page, search: progress } = useFoundEmails(place, filters);
  const steady = useSteadyRows(asked, page.data);

  const isFiltered = Object.keys(filters).length > 0;
  const isTop = !place.after && !place.before;
  const isEmpty = query.isSuccess && isTop && !isFiltered && page.data.length === 0;
  return (
    <>
      <PageHeader
        title="Emails"
        help="first-email"
        sentence="What your company sends through the API and from here."
        action={!query.isLoadingError && !isEmpty && <Compose />}
      />
      {!isEmpty && !isRefused(query) && <Filters filters={filters} />}
      <QueryView query={query} what="the emails" skeleton={<EmailListSkeleton filters={filters} />}>
        {() => {
          if (isEmpty) return <NoEmails />;
          return (
            <>
              <ListLine progress={progress} waiting={steady.waiting} onShow={steady.showAll} />
              <div ref={steady.list}>
                {steady.rows.length > 0 && <EmailList emails={steady.rows} filters={filters} />}
              </div>
              {steady.rows.length === 0 && <NothingFound isSearching={progress.goesOn} />}
              <PagesOfList
                place={place}
                page={{ ...page, data: steady.rows }}
                isFormer={query.isPlaceholderData || progress.goesOn || progress.isStopped}
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

/** The same object as long as the URL names the same place. */
function usePlaceOnce() {
  const { after, before } = usePlace();
  return useMemo(() => (after ? { after } : before ? { before } : {}), [after, before]);
}
