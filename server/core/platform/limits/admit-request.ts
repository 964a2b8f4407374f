import { Refusal } from "#server/core/shared/refusals.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { countRequests } from "./internal/count-requests.ts";

/**
 * The result of the limit checks. Call `release` once the request is answered, whether or not it was
 * admitted.
 */
export type Admission = {
  /** Requests per second. */
  limit: number;
  /** Requests that would still be admitted now. */
  remaining: number;
  /** Null for an admitted request. */
  refusal: Refusal | null;
  release(): void;
};

/** This process's view of a company's requests. */
type Traffic = {
  db: Db;
  companyId: string;
  waiting: PromiseWithResolvers<Admission>[];
  /** In progress in this process; authoritative. */
  inProgress: number;
  /** Count last written to the database; null if that write failed. */
  reported: number | null;
  isCounting: boolean;
  reportTimer: NodeJS.Timeout | undefined;
};

/** Flush the last finished request even if no new one arrives. */
const REPORT_DELAY_MS = 5;
const REPORT_RETRY_MS = 1_000;

const logger = createLogger("web");
const companies = new Map<string, Traffic>();

/**
 * Checks a request against the company's limits across all web processes: requests per second and requests in
 * progress. Requests that arrive while a query is running are batched into the next one.
 *
 * @returns with `refusal` `rate_limit_exceeded` if a limit is exceeded; rejects if the database fails
 */
export function admitRequest(ctx: CompanyScope): Promise<Admission> {
  const traffic = companies.get(ctx.companyId) ?? begin(ctx);
  const request = Promise.withResolvers<Admission>();
  traffic.db = ctx.db;
  traffic.waiting.push(request);
  if (!traffic.isCounting) {
    traffic.isCounting = true;
    // Batch the requests that arrived in the same turn of the event loop.
    setImmediate(() => void countTraffic(traffic));
  }
  return request.promise;
}

function begin(ctx: CompanyScope): Traffic {
  const traffic: Traffic = {
    db: ctx.db,
    companyId: ctx.companyId,
    waiting: [],
    inProgress: 0,
    reported: 0,
    isCounting: false,
    reportTimer: undefined,
  };
  companies.set(ctx.companyId, traffic);
  return traffic;
}

/**
 * Stops reporting finished requests, before the database connections close. Its slots no longer count once this process
 * has deregistered.
 */
export function endAdmissions(): void {
  for (const { reportTimer } of companies.values()) clearTimeout(reportTimer);
  companies.clear();
}

/** Checks all waiting requests until none is left. */
async function countTraffic(traffic: Traffic): Promise<void> {
  traffic.isCounting = true;
  clearTimeout(traffic.reportTimer);
  traffic.reportTimer = undefined;
  let delay = REPORT_DELAY_MS;
  do {
    const requests = traffic.waiting.splice(0);
    try {
      await admit(traffic, requests);
    } catch (error) {
      for (const request of requests) request.reject(error);
      if (requests.length === 0) logger.warn({ err: error }, "failed to report finished requests");
      traffic.reported = null;
      delay = REPORT_RETRY_MS;
    }
  } while (traffic.waiting.length > 0);
  traffic.isCounting = false;
  reportLater(traffic, delay);
}

async function admit(traffic: Traffic, requests: Traffic["waiting"]): Promise<void> {
  const settings = await currentSettings(traffic.db);
  const limit = settings.request_rate_per_second;
  const inProgressHere = traffic.inProgress;
  const { counted, admitted } = await countRequests(traffic.db, {
    companyId: traffic.companyId,
    requests: requests.length,
    inProgressHere,
    ratePerSecond: limit,
    inProgressMax: settings.requests_in_progress,
  });
  traffic.reported = inProgressHere + admitted;
  traffic.inProgress += admitted;
  const left = Math.max(0, limit - counted);
  for (const [place, request] of requests.entries())
    request.resolve(
      place < admitted
        ? { limit, remaining: left + admitted - place - 1, refusal: null, release: slot(traffic) }
        : {
            limit,
            remaining: left,
            refusal: left === 0 ? tooFast(limit) : tooMany(settings.requests_in_progress),
            release: () => {},
          },
    );
}

/** Releases a slot once. */
function slot(traffic: Traffic): () => void {
  let isAcquired = true;
  return () => {
    if (!isAcquired) return;
    isAcquired = false;
    traffic.inProgress -= 1;
    if (!traffic.isCounting) reportLater(traffic, REPORT_DELAY_MS);
  };
}

/** Reports finished requests to other processes, and drops the company's entry once it is idle. */
function reportLater(traffic: Traffic, delay: number): void {
  if (companies.get(traffic.companyId) !== traffic) return;
  if (traffic.reported !== traffic.inProgress)
    traffic.reportTimer ??= setTimeout(() => void countTraffic(traffic), delay).unref();
  else if (traffic.inProgress === 0) companies.delete(traffic.companyId);
}

const tooFast = (limit: number) =>
  new Refusal("rate_limit_exceeded", `Too many requests: at most ${limit} per second`, {
    retryAfterSeconds: 1,
  });

const tooMany = (max: number) =>
  new Refusal(
    "rate_limit_exceeded",
    `Too many concurrent requests: at most ${max} can be in progress`,
    { retryAfterSeconds: 1 },
  );
