import { and, eq, inArray, isNull, sql } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { visibleReasons } from "#server/core/mail/quarantine/quarantine-message.ts";
import type { Used } from "#server/core/operations/companies/company-usage.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Checklist, readChecklist } from "./checklist.ts";
import type { CompanyQueue } from "./internal/troubles.ts";
import { type CompanyProblem, readProblems, readSnoozes, snoozedUntil } from "./problems.ts";

/** A company's overview; null for parts that the admin can't see. */
export type Overview = {
  queue: CompanyQueue | null;
  month: Used | null;
  nearlyFull: number | null;
  onHold: number | null;
  quarantined: number | null;
  problems: (CompanyProblem & { snoozedUntil: string | null })[];
  /** Also null once all steps are done. */
  checklist: Checklist | null;
};

/** Reads the parts that the caller's privileges allow. */
export async function readOverview(
  ctx: Context,
  { email, ...callerPrivileges }: HeldPrivileges & { email: string },
): Promise<Overview> {
  const { privileges } = callerPrivileges;
  const seesQuarantine = privileges.has("update_users") || privileges.has("manage_groups");
  const [{ facts, problems }, quarantined, snoozes, checklist] = await Promise.all([
    readProblems(ctx, callerPrivileges),
    seesQuarantine ? countQuarantined(ctx, callerPrivileges) : null,
    readSnoozes(ctx, email),
    readChecklist(ctx, { email, privileges }),
  ]);
  return {
    queue: facts.queue,
    month: facts.month,
    quarantined,
    checklist,
    nearlyFull: facts.mailboxes?.find(({ isFull }) => !isFull)?.count ?? null,
    onHold: facts.onHold?.length ?? null,
    problems: problems.map((problem) => ({
      ...problem,
      snoozedUntil: snoozedUntil(problem, snoozes),
    })),
  };
}

// Bounds the query; the overview doesn't need larger numbers.
const COUNTED_MAX = 1_000;

/** Messages in quarantine that the admin can decide about, up to 1,000. */
async function countQuarantined(ctx: Context, callerPrivileges: HeldPrivileges): Promise<number> {
  const some = ctx.db
    .select({ one: sql`1`.as("one") })
    .from(quarantine)
    .where(
      and(
        eq(quarantine.companyId, ctx.companyId),
        inArray(quarantine.reason, visibleReasons(callerPrivileges)),
        isNull(quarantine.releasedAs),
      ),
    )
    .limit(COUNTED_MAX)
    .as("some");
  const [row] = await ctx.db.select({ count: sql<number>`count(*)::int` }).from(some);
  return row!.count;
}
