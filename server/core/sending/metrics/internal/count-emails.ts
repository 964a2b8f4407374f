import { setTimeout as sleep } from "node:timers/promises";

import { and, eq, inArray, type SQL, sql } from "drizzle-orm";

import { domains, emails } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { eventBit, outcomeOf } from "#server/core/sending/events/email-events.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { tryLock } from "#server/db/advisory-locks.ts";

import {
  COUNT_METRICS,
  type CountMetric,
  EMAIL_OUTCOMES,
  type EmailOutcome,
} from "#server/core/sending/metrics/metric-names.ts";
import type { Range } from "#server/core/sending/metrics/periods.ts";

export type Counting = {
  /** Consecutive; at least one. */
  periods: Range[];
  byDomain: boolean;
  /** Empty for all domains. */
  domainIds: string[];
};

/** Counts of a period, or of a domain in it. The domain is null if deleted, or if not counting by domain. */
export type Counted = Record<CountMetric, number> & {
  /** Each email has exactly one outcome. */
  outcomes: Record<EmailOutcome, number>;
  /** Index in `periods`. */
  period: number;
  domain_id: string | null;
  domain_name: string | null;
  /** Whether opens and clicks of the domain's emails are tracked now; null without a domain. */
  open_tracking: boolean | null;
  click_tracking: boolean | null;
};

const QUERY_CANCELED = "57014";

/** Queries of all companies at once. The web process has ten connections, and the others are for everything else. */
const SLOTS = 3;
const SLOT_WAIT_MS = 5_000;
const SLOT_POLL_MS = 200;

/** The console has its own lock, so that its auto-refreshing pages don't block API callers. */
export type QueryCaller = "api" | "console";

/**
 * Counts the company's emails by period, domain and event type: test emails for a test key, otherwise all others. One
 * query at a time per company and caller, and three in total; the locks end with the transaction, so a killed process leaves
 * none behind.
 *
 * @throws Refusal `rate_limit_exceeded` while another one of the company runs, or if no slot becomes free in five seconds;
 *   `invalid` for another company's domain, or after `timeoutMs`
 */
export async function countByPeriod(
  ctx: Context,
  counting: Counting,
  limits: { timeoutMs: number; caller?: QueryCaller },
): Promise<Counted[]> {
  const waitsUntil = performance.now() + SLOT_WAIT_MS;
  for (;;) {
    const counted = await countInSlot(ctx, counting, limits);
    if (counted) return counted;
    if (performance.now() > waitsUntil)
      throw new Refusal(
        "rate_limit_exceeded",
        "The server is running too many metrics requests. Try again in a moment",
      );
    await sleep(SLOT_POLL_MS);
  }
}

/** @returns null if all slots are taken */
async function countInSlot(
  ctx: Context,
  counting: Counting,
  { timeoutMs, caller = "api" }: { timeoutMs: number; caller?: QueryCaller },
): Promise<Counted[] | null> {
  try {
    return await inTransaction(ctx, async (ctx) => {
      await acquireQueryLock(ctx, caller);
      if (!(await acquireSlot(ctx))) return null;
      await limitQuery(ctx, timeoutMs);
      await requireOwnDomains(ctx, counting.domainIds);
      return await ctx.db.execute<Counted>(countingQuery(ctx, counting));
    });
  } catch (error) {
    if (isTimeout(error))
      throw new Refusal(
        "invalid",
        "There are too many emails in the range to count in time. Request a shorter range",
      );
    throw error;
  }
}

async function acquireQueryLock(ctx: Context, caller: QueryCaller): Promise<void> {
  const name = caller === "api" ? "apiMetrics" : "consoleMetrics";
  if (!(await tryLock(ctx.db, name, ctx.companyId)))
    throw new Refusal(
      "rate_limit_exceeded",
      "Another metrics request of the company is running. Try again when it has finished",
    );
}

async function acquireSlot(ctx: Context): Promise<boolean> {
  for (let slot = 0; slot < SLOTS; slot++)
    if (await tryLock(ctx.db, "metricsSlot", String(slot))) return true;
  return false;
}

async function limitQuery(ctx: Context, timeoutMs: number): Promise<void> {
  await ctx.db.execute(sql`
    select set_config('statement_timeout', ${String(timeoutMs)}, true),
      set_config('client_connection_check_interval', '1s', true),
      set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('jit', 'off', true)`);
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

/**
 * Groups emails by their set of event types first: there are few sets. Each period is one range of the index,
 * which is cheaper than computing each email's period.
 */
function countingQuery(ctx: Context, { periods, byDomain, domainIds }: Counting): SQL {
  // `TEST_BIT`, as the index has no `is_test`. Postgres can't estimate how many rows have a bit, but it can for the sign.
  const mode = ctx.isTest ? sql`${emails.eventTypes} < 0` : sql`${emails.eventTypes} >= 0`;
  const starts = arrayOf(periods.map(({ start }) => isoOf(start)));
  const ends = arrayOf(periods.map(({ end }) => isoOf(end + 1)));
  const domainId = byDomain ? sql`${emails.domainId}` : sql`null::uuid`;
  const ofDomains =
    domainIds.length > 0 ? sql`and ${emails.domainId} = any(${arrayOf(domainIds)}::uuid[])` : sql``;
  return sql`
    select (sets.place - 1)::int as period, domains.id as domain_id, domains.name as domain_name,
      bool_or(domains.open_tracking) as open_tracking, bool_or(domains.click_tracking) as click_tracking,
      ${countColumns()}, ${outcomesColumn()}
    from (
      select periods.place, counted.*
      from unnest(${starts}::timestamptz[], ${ends}::timestamptz[])
        with ordinality as periods (first, beyond, place)
      cross join lateral (
        select ${domainId} as domain_id, ${emails.eventTypes} as types, count(*) as emails
        from ${emails}
        where ${emails.companyId} = ${ctx.companyId} and ${mode}
          and ${emails.placedAt} >= periods.first and ${emails.placedAt} < periods.beyond ${ofDomains}
        group by 1, 2
      ) as counted
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

function outcomesColumn(): SQL {
  const outcome = outcomeOf(sql`sets.types`);
  const counts = EMAIL_OUTCOMES.map((each) => {
    const name = sql.raw(`'${each}'`);
    return sql`${name}, coalesce(sum(sets.emails) filter (where ${outcome} = ${name}), 0)`;
  });
  return sql`json_build_object(${sql.join(counts, sql`, `)}) as outcomes`;
}

const isoOf = (instant: number) => new Date(instant).toISOString();

const arrayOf = (elements: string[]) => sql`${`{${elements.join(",")}}`}`;

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === QUERY_CANCELED) || isTimeout(error.cause);
}
