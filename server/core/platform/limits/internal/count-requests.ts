import { sql } from "drizzle-orm";

import { companyTraffic } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";

/** Requests of one company that ask together, and what this process knows of its others. */
export type Asking = {
  companyId: string;
  /** Requests that want to be admitted; 0 only tells how many are in progress here. */
  requests: number;
  /** Requests of the company that are in progress in this process. */
  inProgressHere: number;
  ratePerSecond: number;
  inProgressMax: number;
};

/** `counted`: requests of the last second, those just admitted with them. */
export type Counted = { counted: number; admitted: number };

/**
 * Up to this rate each request is counted at its microsecond. Above it, at the next hundredth of a
 * second, so that a company's row stays small: never more than the rate in any second either way.
 */
const RATE_COUNTED_TO_THE_MICROSECOND = 100;
const HUNDREDTH_MICROSECONDS = 10_000;

/**
 * Admits as many of the requests as fit the company's rate and its requests in progress, all processes
 * counted. What is refused leaves no trace.
 */
export async function countRequests(db: Db, asking: Asking): Promise<Counted> {
  const counted = await update(db, asking);
  if (counted) return counted;
  await db.insert(companyTraffic).values({ companyId: asking.companyId }).onConflictDoNothing();
  const first = await update(db, asking);
  if (!first) throw new Error("The requests of a company could not be counted");
  return first;
}

/**
 * One statement that commits by itself. A concurrent one waits for the row, and is then worked out anew
 * on its newest version: so everything is read from the row itself, in one subselect. Only which
 * processes live is read beside it, where a late answer does no harm.
 *
 * Hits later than ten seconds from now were counted before the clock was set back; they count no more.
 */
async function update(
  db: Db,
  { companyId, requests, inProgressHere, ratePerSecond, inProgressMax }: Asking,
): Promise<Counted | undefined> {
  const step = ratePerSecond > RATE_COUNTED_TO_THE_MICROSECOND ? HUNDREDTH_MICROSECONDS : 1;
  const rows = await db.execute<Counted>(sql`
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
          else others.in_progress || jsonb_build_object(${webProcessId()}::text, ${inProgressHere}::int + n)
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
        where key <> ${webProcessId()}::text and key::uuid in (
          select id from web_processes where alive_until > statement_timestamp())
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
