import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Place } from "#app/console/ui/pages-of-list.tsx";
import type { getEmail } from "#server/console/emails/get-email.ts";
import type { listEmailEvents } from "#server/console/emails/list-email-events.ts";
import type { listEmails } from "#server/console/emails/list-emails.ts";

const REFRESH_MS = 5_000;
export const ROWS_PER_PAGE = 20;

export type EmailRow = Answer<typeof listEmails>["data"][number];
export type EmailStatus = EmailRow["status"];
export type EmailDetail = Answer<typeof getEmail>;
export type EmailEvent = Answer<typeof listEmailEvents>["data"][number];

export const emailsQuery = (place: Place) =>
  queryOptions({
    queryKey: ["emails", place],
    queryFn: () =>
      call<typeof listEmails>("GET", "/console/api/emails", {
        query: { ...place, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const emailQuery = (id: string) =>
  queryOptions({
    queryKey: ["email", id],
    queryFn: () => call<typeof getEmail>("GET", "/console/api/emails/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

export const emailEventsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["email", id, "events"],
    queryFn: ({ pageParam }) =>
      call<typeof listEmailEvents>("GET", "/console/api/emails/{id}/events", {
        params: { id },
        query: { limit: "100", after: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? page.data.at(-1)?.id : undefined),
    refetchInterval: REFRESH_MS,
  });
