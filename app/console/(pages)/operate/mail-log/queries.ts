import { infiniteQueryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { listMailLog } from "#server/console/operate/mail-log/list-mail-log.ts";
import type { listOutgoing } from "#server/console/operate/mail-log/list-outgoing.ts";

export type IncomingEntry = Answer<typeof listMailLog>["data"][number];
export type Kind = IncomingEntry["kind"];
export type OutgoingEntry = Answer<typeof listOutgoing>["data"][number];
export type Result = OutgoingEntry["result"];

/** Filters that both tabs share. */
export type LogFilters = { search?: string; company?: string; from?: string; to?: string };
export type IncomingFilters = LogFilters & { kind?: Kind; client?: string };
export type OutgoingFilters = LogFilters & { result?: Result; message?: string };

export const MAIL_LOG = ["operate", "mail-log"];

const start = null as string | null;
const cursor = (pageParam: string | null) => pageParam !== null && { before: pageParam };

export const incomingQuery = (filters: IncomingFilters) =>
  infiniteQueryOptions({
    queryKey: [...MAIL_LOG, "incoming", filters],
    queryFn: ({ pageParam }) =>
      call<typeof listMailLog>("GET", "/console/api/operate/mail-log", {
        query: { ...filters, ...cursor(pageParam) },
      }),
    initialPageParam: start,
    getNextPageParam: ({ next }) => next,
  });

export const outgoingQuery = (filters: OutgoingFilters) =>
  infiniteQueryOptions({
    queryKey: [...MAIL_LOG, "outgoing", filters],
    queryFn: ({ pageParam }) =>
      call<typeof listOutgoing>("GET", "/console/api/operate/mail-log/outgoing", {
        query: { ...filters, ...cursor(pageParam) },
      }),
    initialPageParam: start,
    getNextPageParam: ({ next }) => next,
  });
