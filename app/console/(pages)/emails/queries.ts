import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

import { type EmailFilterParams, toListQuery } from "./filter-params.ts";

const REFRESH_MS = 5_000;
const STALE_MS = 60_000;
export const ROWS_PER_PAGE = 20;

export type EmailsPage = AnswerOf<"emails.list">;
export type EmailRow = EmailsPage["data"][number];
export type EmailStatus = EmailRow["status"];
export type EmailDetail = AnswerOf<"emails.get">;
export type EmailRecipient = EmailDetail["recipients"][number];
export type EmailEvent = AnswerOf<"emails.listEvents">["data"][number];
export type EmailChoices = AnswerOf<"emails.getChoices">;

/**
 * One page of emails, possibly collected over several requests: each searches a limited stretch and says how
 * far back it got. Refreshes automatically only if a single request filled the page.
 */
export const emailsQuery = (
  place: PageCursor,
  filters: EmailFilterParams,
  sort: SortOf<typeof TIME_SORTS> = "-created",
) =>
  infiniteQueryOptions({
    queryKey: ["emails", "list", place, filters, sort],
    queryFn: ({ pageParam }) =>
      read("emails.list", {
        query: { ...pageParam, ...toListQuery(filters), sort, limit: String(ROWS_PER_PAGE) },
      }),
    initialPageParam: place,
    getNextPageParam: ({ searchedTo: end }) =>
      end ? (place.before ? { before: end.id } : { after: end.id }) : undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
    placeholderData: keepPreviousData,
  });

export const emailQuery = (id: string) =>
  queryOf("emails.get", { params: { id } }, { refetchInterval: REFRESH_MS });

export const emailEventsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["emails", "listEvents", { params: { id } }],
    queryFn: ({ pageParam }) =>
      read("emails.listEvents", {
        params: { id },
        query: { limit: "100", after: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.hasMore ? page.data.at(-1)?.id : undefined),
    refetchInterval: REFRESH_MS,
  });

/** The start of an email's source. The server regenerates it on each request, always identically. */
export const emailSourceQuery = (id: string) =>
  queryOf("emails.getSource", { params: { id } }, { staleTime: Infinity });

/** Reads an attachment, in base64. */
export const readAttachment = (id: string, position: number) =>
  read("emails.getAttachment", {
    params: { id, position: String(position) },
  });

/** A data URL of an image on another server. */
export const remoteImageQuery = (source: string) =>
  queryOptions({
    queryKey: ["emails", "loadRemoteImage", source],
    async queryFn() {
      const { type, content } = await change("emails.loadRemoteImage", { body: { url: source } });
      return { source, data: `data:${type};base64,${content}` };
    },
    staleTime: Infinity,
    retry: false,
  });

export const emailChoicesQuery = queryOf("emails.getChoices", {}, { staleTime: STALE_MS });
