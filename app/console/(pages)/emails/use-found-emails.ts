import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";

import type { Place } from "#app/console/ui/pages-of-list.tsx";

import { type EmailFilters, searchOf } from "./email-filters.ts";
import { type EmailsStep, emailsQuery, ROWS_PER_PAGE } from "./queries.ts";

/**
 * A page of emails that fit. A search that has not found a page of them goes on by itself, step by step,
 * until it has or all has been looked at, unless it is stopped.
 */
export function useFoundEmails(place: Place, filters: EmailFilters) {
  const query = useInfiniteQuery(emailsQuery(place, filters));
  const asked = searchOf({ ...place, ...filters });
  const [stopped, setStopped] = useState<string | null>(null);
  const page = useMemo(() => pageOf(query.data?.pages ?? [], place), [query.data, place]);

  const mayGoOn = query.hasNextPage && !query.isPlaceholderData && page.data.length < ROWS_PER_PAGE;
  const goesOn = mayGoOn && stopped !== asked && !query.isFetchNextPageError;
  const { isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);

  return {
    query,
    /** Changes when something else is listed. */
    asked,
    page,
    search: {
      goesOn,
      isStopped: mayGoOn && !goesOn,
      /** How far back it has come. */
      at: query.data?.pages.at(-1)?.searched_to?.at ?? null,
      stop: () => setStopped(asked),
      resume: () => setStopped(null),
    },
  };
}

/** The steps as one page, newest first. */
function pageOf(steps: EmailsStep[], { before }: Place) {
  const inOrder = before === undefined ? steps : steps.toReversed();
  const all = inOrder.flatMap(({ data }) => data);
  const data = before === undefined ? all.slice(0, ROWS_PER_PAGE) : all.slice(-ROWS_PER_PAGE);
  const last = steps.at(-1);
  const isOver = last?.searched_to === null;
  return { data, has_more: all.length > data.length || (isOver && last.has_more) };
}
