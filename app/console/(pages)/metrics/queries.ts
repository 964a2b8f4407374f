import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call, ConsoleError } from "#app/console/console-client.ts";
import type { getMetrics } from "#server/console/metrics/get-metrics.ts";

import type { askedFor } from "./period.ts";

export type MetricsAnswer = Answer<typeof getMetrics>;
export type Counts = MetricsAnswer["totals"];

type Asked = ReturnType<typeof askedFor>;

const REFRESH_MS = 60_000;
const TRIES_MAX = 8;
const TURN_MS = 500;

/** Another page of the company counts at the moment: it is our turn soon. */
const isBusy = (error: Error) =>
  error instanceof ConsoleError && error.reason === "rate_limit_exceeded";

export const metricsQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ["metrics", asked],
    queryFn: () => call<typeof getMetrics>("GET", "/console/api/metrics", { query: asked }),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS / 2,
    placeholderData: keepPreviousData,
    retry: (failures, error) =>
      failures < TRIES_MAX && (isBusy(error) || !(error instanceof ConsoleError)),
    retryDelay: TURN_MS,
  });
