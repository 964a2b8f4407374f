import { infiniteQueryOptions } from "@tanstack/react-query";

import { type AnswerOf, read } from "#app/console/console-client.ts";

export type IncomingEntry = AnswerOf<"mailLog.list">["data"][number];
export type Kind = IncomingEntry["kind"];
export type OutgoingEntry = AnswerOf<"mailLog.listOutgoing">["data"][number];
export type Result = OutgoingEntry["result"];

/** Filters that both tabs share. */
export type LogFilters = { search?: string; company?: string; from?: string; to?: string };
export type IncomingFilters = LogFilters & { kind?: Kind; client?: string };
export type OutgoingFilters = LogFilters & { result?: Result; message?: string };

export const MAIL_LOG = ["mailLog"];

const start = null as string | null;
const cursor = (pageParam: string | null) => pageParam !== null && { before: pageParam };

export const incomingQuery = (filters: IncomingFilters) =>
  infiniteQueryOptions({
    queryKey: [...MAIL_LOG, "incoming", filters],
    queryFn: ({ pageParam }) =>
      read("mailLog.list", {
        query: { ...filters, ...cursor(pageParam) },
      }),
    initialPageParam: start,
    getNextPageParam: ({ next }) => next,
  });

export const outgoingQuery = (filters: OutgoingFilters) =>
  infiniteQueryOptions({
    queryKey: [...MAIL_LOG, "outgoing", filters],
    queryFn: ({ pageParam }) =>
      read("mailLog.listOutgoing", {
        query: { ...filters, ...cursor(pageParam) },
      }),
    initialPageParam: start,
    getNextPageParam: ({ next }) => next,
  });
