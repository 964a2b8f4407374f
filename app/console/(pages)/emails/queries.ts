import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { loadRemoteImage } from "#server/console/emails/load-remote-image.ts";
import type { getAttachment } from "#server/console/emails/get-attachment.ts";
import type { getEmailChoices } from "#server/console/emails/get-email-choices.ts";
import type { getEmailSource } from "#server/console/emails/get-email-source.ts";
import type { getEmail } from "#server/console/emails/get-email.ts";
import type { listEmailEvents } from "#server/console/emails/list-email-events.ts";
import type { listEmails } from "#server/console/emails/list-emails.ts";

import { type EmailFilterParams, toListQuery } from "./filter-params.ts";

const REFRESH_MS = 5_000;
const STALE_MS = 60_000;
export const ROWS_PER_PAGE = 20;

export type EmailsPage = Answer<typeof listEmails>;
export type EmailRow = EmailsPage["data"][number];
export type EmailStatus = EmailRow["status"];
export type EmailDetail = Answer<typeof getEmail>;
export type EmailRecipient = EmailDetail["recipients"][number];
export type EmailEvent = Answer<typeof listEmailEvents>["data"][number];
export type EmailChoices = Answer<typeof getEmailChoices>;

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
    queryKey: ["emails", place, filters, sort],
    queryFn: ({ pageParam }) =>
      call<typeof listEmails>("GET", "/console/api/emails", {
        query: { ...pageParam, ...toListQuery(filters), sort, limit: String(ROWS_PER_PAGE) },
      }),
    initialPageParam: place,
    getNextPageParam: ({ searched_to: end }) =>
      end ? (place.before ? { before: end.id } : { after: end.id }) : undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
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

/** The start of an email's source. The server regenerates it on each request, always identically. */
export const emailSourceQuery = (id: string) =>
  queryOptions({
    queryKey: ["email", id, "source"],
    queryFn: () =>
      call<typeof getEmailSource>("GET", "/console/api/emails/{id}/source", { params: { id } }),
    staleTime: Infinity,
  });

/** Reads an attachment, in base64. */
export const readAttachment = (id: string, position: number) =>
  call<typeof getAttachment>("GET", "/console/api/emails/{id}/attachments/{position}", {
    params: { id, position: String(position) },
  });

/** A data URL of an image on another server. */
export const remoteImageQuery = (source: string) =>
  queryOptions({
    queryKey: ["remote-image", source],
    async queryFn() {
      const { type, content } = await call<typeof loadRemoteImage>(
        "POST",
        "/console/api/remote-images",
        { body: { url: source } },
      );
      return { source, data: `data:${type};base64,${content}` };
    },
    staleTime: Infinity,
    retry: false,
  });

export const emailChoicesQuery = queryOptions({
  queryKey: ["email-choices"],
  queryFn: () => call<typeof getEmailChoices>("GET", "/console/api/email-choices", {}),
  staleTime: STALE_MS,
});
