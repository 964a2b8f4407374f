import { keepPreviousData } from "@tanstack/react-query";

import { type AnswerOf, ConsoleError } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

import type { toMetricsQuery } from "./period.ts";

export type MetricsAnswer = AnswerOf<"metrics.get">;
export type Counts = MetricsAnswer["totals"];

type MetricsQuery = ReturnType<typeof toMetricsQuery>;

const REFRESH_MS = 60_000;
const RETRIES_MAX = 8;
const RETRY_DELAY_MS = 500;

/** Each company can run only one count at a time, so another page may be ahead. */
const isBusy = (error: Error) =>
  error instanceof ConsoleError && error.reason === "rate_limit_exceeded";

export const metricsQuery = (query: MetricsQuery) =>
  queryOf(
    "metrics.get",
    { query },
    {
      refetchInterval: REFRESH_MS,
      staleTime: REFRESH_MS / 2,
      placeholderData: keepPreviousData,
      retry: (failures, error) =>
        failures < RETRIES_MAX && (isBusy(error) || !(error instanceof ConsoleError)),
      retryDelay: RETRY_DELAY_MS,
    },
  );
