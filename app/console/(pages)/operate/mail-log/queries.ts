import { infiniteQueryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { listMailLog } from "#server/console/operate/mail-log/list-mail-log.ts";

export type LogEntry = Answer<typeof listMailLog>["data"][number];
export type Kind = LogEntry["kind"];
export type LogFilters = { search?: string; kind?: Kind; client?: string; company?: string };

export const mailLogQuery = (filters: LogFilters) =>
  infiniteQueryOptions({
    queryKey: ["operate", "mail-log", filters],
    queryFn: ({ pageParam }) =>
      call<typeof listMailLog>("GET", "/console/api/operate/mail-log", {
        query: { ...filters, ...(pageParam !== null && { before: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
