import { keepPreviousData } from "@tanstack/react-query";

import { type AnswerOf, ConsoleError } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { readerTimeZone } from "#app/console/ui/datetime-local.ts";

import { type MetricsView, toMetricsQuery } from "./period.ts";

export type MetricsAnswer = AnswerOf<"metrics.get">;
export type Counts = MetricsAnswer["totals"];

const REFRESH_MS = 60_000;
const RETRIES_MAX = 8;
const RETRY_DELAY_MS = 500;

/** Each company can run only one count at a time, so another page may be ahead. */
const isBusy = (error: Error) =>
  error instanceof ConsoleError && error.reason === "rate_limit_exceeded";

export const useMetrics = (view: MetricsView, { isEnabled = true } = {}) =>
  useRead(
    "metrics.get",
    { query: toMetricsQuery(view, readerTimeZone()) },
    {
      enabled: isEnabled,
      // The server, which renders the page, doesn't know the reader's time zone.
      meta: {},
      refetchInterval: REFRESH_MS,
      staleTime: REFRESH_MS / 2,
      placeholderData: keepPreviousData,
      retry: (failures, error) =>
        failures < RETRIES_MAX && (isBusy(error) || !(error instanceof ConsoleError)),
      retryDelay: RETRY_DELAY_MS,
    },
  );
