import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";

import { apiKeys, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { invalidCursor, isUuid, type PageRequest, pageOf } from "#server/core/paging/page.ts";

import { type EmailFilters, inTime, rareConditions } from "./email-filters.ts";

const { id, from, subject, to, cc, bcc, lastEvent, createdAt, scheduledAt } = emails;
const FOUND = {
  ...{ id, from, subject, to, cc, bcc, lastEvent, createdAt, scheduledAt },
  // By its primary key, for the rows of one page: no join is needed for it.
  apiKey: sql<
    string | null
  >`(select ${apiKeys.name} from ${apiKeys} where ${apiKeys.id} = ${emails.apiKeyId})`,
};

/** Emails that one statement looks at. */
const STEP_ROWS = 20_000;
/** After so long no further step is begun. */
const ENOUGH_MS = 250;

export type Effort = { stepRows?: number; enoughMs?: number };

/** A place in the list: an email and its moment. */
type Spot = { id: string; at: string };

export type FoundEmail = Awaited<ReturnType<typeof readFound>>[number];

export type EmailsFound = {
  /** In list order. */
  rows: FoundEmail[];
  /** More emails fit beyond these, or may: not all has been looked at. */
  hasMore: boolean;
  /** The last email that was looked at, where the search stopped for its time: to go on, ask from there. */
  searchedTo: Spot | null;
};

/**
 * A page of the company's emails that fit, newest first. What fits seldom may be far away, and no index
 * leads to it: so the list is walked in steps along its index, and after some time what was found by then
 * is the answer, perhaps nothing.
 *
 * @throws Refusal `invalid` for a cursor that is no email of the company
 */
export async function searchEmails(
  ctx: Context,
  page: PageRequest,
  filters: EmailFilters,
  { stepRows = STEP_ROWS, enoughMs = ENOUGH_MS }: Effort = {},
): Promise<EmailsFound> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= enoughMs;
  const walk: Walk = {
    list: and(eq(emails.companyId, ctx.companyId), inTime(filters)),
    conditions: rareConditions(filters),
    isForward: page.before === null,
    stepRows,
  };
  const found: FoundEmail[] = [];
  let spot = await spotOf(ctx, page.after ?? page.before);
  do {
    const limit = page.limit + 1 - found.length;
    const { rows, end } = await step(ctx, walk, { spot, limit });
    found.push(...rows);
    spot = end;
  } while (spot && found.length <= page.limit && !isOver());
  const searchedTo = found.length > page.limit ? null : spot;
  const { rows, hasMore } = pageOf(found, page);
  return { rows, hasMore: hasMore || searchedTo !== null, searchedTo };
}

type Walk = {
  list: SQL | undefined;
  /** What no index helps with. */
  conditions: SQL | undefined;
  isForward: boolean;
  stepRows: number;
};

/** Looks at the next emails beyond `spot`, and says how far that went: `end` is null at the end of the list. */
async function step(
  ctx: Context,
  { list, conditions, isForward, stepRows }: Walk,
  { spot, limit }: { spot: Spot | null; limit: number },
): Promise<{ rows: FoundEmail[]; end: Spot | null }> {
  const rest = and(list, spot ? compared(spot, isForward ? "<" : ">") : undefined);
  // Without conditions every email fits: a page is as far as it goes.
  const end = conditions ? await spotAfter(ctx, rest, { isForward, rows: stepRows }) : null;
  const upToEnd = end ? compared(end, isForward ? ">=" : "<=") : undefined;
  const rows = await readFound(ctx, and(rest, conditions, upToEnd), { isForward, limit });
  return { rows, end };
}

async function spotOf(ctx: Context, cursor: string | null): Promise<Spot | null> {
  if (cursor === null) return null;
  if (!isUuid(cursor)) throw invalidCursor();
  const [spot] = await ctx.db
    .select({ id: emails.id, at: emails.createdAt })
    .from(emails)
    .where(and(eq(emails.companyId, ctx.companyId), eq(emails.id, cursor)));
  if (!spot) throw invalidCursor();
  return spot;
}

/**
 * The place so many emails on, null when there are fewer. The index alone is read for it, so counting them off
 * costs a fraction of looking at them.
 */
async function spotAfter(
  ctx: Context,
  rest: SQL | undefined,
  { isForward, rows }: { isForward: boolean; rows: number },
): Promise<Spot | null> {
  const [spot] = await ctx.db
    .select({ id: emails.id, at: emails.createdAt })
    .from(emails)
    .where(rest)
    .orderBy(...orderOf(isForward))
    .offset(rows - 1)
    .limit(1);
  return spot ?? null;
}

const readFound = (
  ctx: Context,
  where: SQL | undefined,
  { isForward, limit }: { isForward: boolean; limit: number },
) =>
  ctx.db
    .select(FOUND)
    .from(emails)
    .where(where)
    .orderBy(...orderOf(isForward))
    .limit(limit);

function orderOf(isForward: boolean) {
  const direction = isForward ? desc : asc;
  return [direction(emails.createdAt), direction(emails.id)];
}

const compared = ({ id, at }: Spot, sign: string): SQL =>
  sql`(${emails.createdAt}, ${emails.id}) ${sql.raw(sign)} (${at}::timestamptz, ${id}::uuid)`;
