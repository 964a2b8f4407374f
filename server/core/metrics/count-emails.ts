import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm";

import { domains, emails } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { eventBit } from "#server/core/emails/event-bits.ts";
import { Refusal } from "#server/core/refusals.ts";

import { COUNT_METRICS, type CountMetric } from "./metric-names.ts";
import type { Range } from "./resolve-range.ts";

/** What to count by: the starts of the periods, empty for the range as a whole. */
export type Counting = Range & {
  periodStarts: number[];
  byDomain: boolean;
  /** Empty for all domains. */
  domainIds: string[];
};

/** The counts of one period and domain; both null where not counted by, the domain also once it is deleted. */
export type Counted = Record<CountMetric, number> & {
  /** Place in `periodStarts`, from 1. */
  period: number | null;
  domain_id: string | null;
  domain_name: string | null;
};

const QUERY_CANCELED = "57014";

/**
 * Counts the company's emails by period, domain and type of event. Only one such query of a company
 * runs at a time; the lock is the transaction's, so a killed process leaves none behind.
 *
 * @throws Refusal `rate_limit_exceeded` while another one runs; `invalid` for a domain that is not the
 *   company's, and when it does not end in `timeoutMs`
 */
export async function countEmails(
  ctx: Context,
  counting: Counting,
  { timeoutMs }: { timeoutMs: number },
): Promise<Counted[]> {
  try {
    return await inTransaction(ctx, async (ctx) => {
      await beOnlyQuery(ctx, timeoutMs);
      await requireOwnDomains(ctx, counting.domainIds);
      return await ctx.db.execute<Counted>(countingQuery(ctx.companyId, counting));
    });
  } catch (error) {
    if (isTimeout(error))
      throw new Refusal(
        "invalid",
        "There are too many emails in the range to count in time: ask for a shorter one",
      );
    throw error;
  }
}

async function beOnlyQuery(ctx: Context, timeoutMs: number): Promise<void> {
  const [answer] = await ctx.db.execute<{ locked: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`metrics ${ctx.companyId}`}, 0)) as locked,
      set_config('statement_timeout', ${String(timeoutMs)}, true),
      set_config('client_connection_check_interval', '1s', true),
      set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('jit', 'off', true)`);
  if (!answer?.locked)
    throw new Refusal(
      "rate_limit_exceeded",
      "Another metrics request of the company is running: only one runs at a time",
    );
}

async function requireOwnDomains(ctx: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), inArray(domains.id, ids)));
  const own = new Set(found.map(({ id }) => id));
  const foreign = ids.find((id) => !own.has(id.toLowerCase()));
  if (foreign) throw new Refusal("invalid", `domain_id: the company has no domain ${foreign}`);
}

/** Emails are first counted by the set of their types: there are few sets, and many emails have the same. */
function countingQuery(companyId: string, counting: Counting): SQL {
  const { start, end, periodStarts, byDomain, domainIds } = counting;
  const period =
    periodStarts.length > 0
      ? sql`width_bucket(${emails.placedAt}, ${arrayOf(periodStarts.map(isoOf))}::timestamptz[])`
      : sql`null::integer`;
  const domainId = byDomain ? sql`${emails.domainId}` : sql`null::uuid`;
  return sql`
    select sets.period, domains.id as domain_id, domains.name as domain_name, ${countColumns()}
    from (
      select ${period} as period, ${domainId} as domain_id, ${emails.eventTypes} as types, ${count()} as emails
      from ${emails}
      where ${emails.companyId} = ${companyId}
        and ${emails.placedAt} >= ${isoOf(start)}::timestamptz
        and ${emails.placedAt} < ${isoOf(end + 1)}::timestamptz
        ${domainIds.length > 0 ? sql`and ${emails.domainId} = any(${arrayOf(domainIds)}::uuid[])` : sql``}
      group by 1, 2, 3
    ) as sets
    left join ${domains} on ${domains.id} = sets.domain_id
    group by 1, 2, 3`;
}

function countColumns(): SQL {
  const columns = COUNT_METRICS.map((metric) => {
    const bit = sql.raw(String(eventBit(metric)));
    return sql`coalesce(sum(sets.emails) filter (where sets.types & ${bit} <> 0), 0)::float8 as ${sql.identifier(metric)}`;
  });
  return sql.join(columns, sql`, `);
}

const isoOf = (instant: number) => new Date(instant).toISOString();

const arrayOf = (elements: string[]) => sql`${`{${elements.join(",")}}`}`;

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === QUERY_CANCELED) || isTimeout(error.cause);
}
