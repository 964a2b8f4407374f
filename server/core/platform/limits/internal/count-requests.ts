import { sql } from "drizzle-orm";

import { companyTraffic } from "#drizzle/schema/index.ts";
import { processId } from "#server/core/platform/processes/processes.ts";
import type { Db } from "#server/db/client.ts";

/** A batch of a company's requests, with this process's counts. */
export type Asking = {
  companyId: string;
  /** Requests to admit; 0 only updates the number in progress. */
  requests: number;
  /** The company's requests in progress in this process. */
  inProgressHere: number;
  ratePerSecond: number;
  inProgressMax: number;
};

/** `counted`: requests within the last second, including those just admitted. */
export type CountedRequests = { counted: number; admitted: number };

/**
 * Up to this rate, hits are recorded with microsecond precision. Above it, they are rounded up to hundredths
 * of a second to keep the row small. Neither lets more than the rate through in any second.
 */
const RATE_COUNTED_TO_THE_MICROSECOND = 100;

const HUNDREDTH_MICROSECONDS = 10_000;

/**
 * Admits as many of the requests as the company's limits allow, counted across all processes. Rejected
 * requests leave no trace.
 */
export async function countRequests(db: Db, asking: Asking): Promise<CountedRequests> {
  const counted = await update(db, asking);
  if (counted) return counted;
  await db.insert(companyTraffic).values({ companyId: asking.companyId }).onConflictDoNothing();
  const first = await update(db, asking);
  if (!first) throw new Error("The requests of a company could not be counted");
  return first;
}

/**
 * One statement in its own transaction. A concurrent statement waits for the row and is then re-evaluated on
 * its newest version, so everything is read from the row itself, in one subselect. Only the live processes
 * are read from elsewhere, where a stale result does no harm.
 *
 * Hits more than ten seconds in the future were recorded before the clock was set back, and are ignored.
 */
async function update(
  db: Db,
  { companyId, requests, inProgressHere, ratePerSecond, inProgressMax }: Asking,
): Promise<CountedRequests | undefined> {
  const step = ratePerSecond > RATE_COUNTED_TO_THE_MICROSECOND ? HUNDREDTH_MICROSECONDS : 1;
  const rows = await db.execute<CountedRequests>(sql`
    update company_traffic t set (hits, hit_counts, in_progress, counted, admitted) = (
      select
        case when n = 0 or at = latest then kept.hits else kept.hits || at end,
        case
          when n = 0 then kept.counts
          when at = latest
            then trim_array(kept.counts, 1) || kept.counts[cardinality(kept.counts)] + n
          else kept.counts || n
        end,
        case
          when ${inProgressHere}::int + n = 0 then others.in_progress
          else others.in_progress || jsonb_build_object(${processId()}::text, ${inProgressHere}::int + n)
        end,
        used.counted + n,
        n
      from (
        select (extract(epoch from statement_timestamp()) * 1000000)::bigint as now
      ) clock
      cross join lateral (
        select
          width_bucket(now - 1000000, t.hits) as expired,
          width_bucket(now + 10000000, t.hits) as credible
      ) place
      cross join lateral (
        select
          t.hits[expired + 1 : credible] as hits,
          t.hit_counts[expired + 1 : credible] as counts,
          case when credible > expired then t.hits[credible] end as latest
      ) kept
      cross join lateral (
        select coalesce(sum(c), 0)::int as counted from unnest(kept.counts) c
      ) used
      cross join lateral (
        select
          coalesce(sum(value::int), 0)::int as total,
          coalesce(jsonb_object_agg(key, value), '{}') as in_progress
        from jsonb_each(t.in_progress)
        where key <> ${processId()}::text and key::uuid in (
          select id from processes where alive_until > statement_timestamp())
      ) others
      cross join lateral (
        select
          greatest(0, least(
            ${requests}::int,
            ${ratePerSecond}::int - used.counted,
            ${inProgressMax}::int - others.total - ${inProgressHere}::int)) as n,
          greatest(latest, (now + ${step}::bigint - 1) / ${step}::bigint * ${step}::bigint) as at
      ) decision
    )
    where company_id = ${companyId}::uuid
    returning counted, admitted`);
  return rows[0];
}
