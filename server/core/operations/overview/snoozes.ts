import { sql } from "drizzle-orm";

import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changePreferences } from "./internal/change-preferences.ts";
import type { Problem, ProblemKind } from "./problems.ts";
import { readProblems } from "./read-problems.ts";

type Snooze = { until: string; marks: string[] };

/** An admin's snoozes in this company that haven't ended. */
export async function readSnoozes(ctx: Context, email: string): Promise<Map<ProblemKind, Snooze>> {
  const rows = await ctx.db.execute<Snooze & { kind: ProblemKind }>(sql`
    select s.key as kind, s.value ->> 'until' as until, s.value -> 'marks' as marks
    from preferences p, jsonb_each(p.choices -> 'snoozes' -> ${ctx.companyId}::text) s
    where p.email = ${email} and (s.value ->> 'until')::timestamptz > statement_timestamp()`);
  return new Map(rows.map(({ kind, ...snooze }) => [kind, snooze]));
}

/** When the problem comes back; null if it isn't snoozed, or got worse since. */
export function snoozedUntil(
  { kind, marks }: Problem,
  snoozes: ReadonlyMap<ProblemKind, Snooze>,
): string | null {
  const snooze = snoozes.get(kind);
  if (!snooze) return null;
  const known = new Set(snooze.marks);
  return marks.every((mark) => known.has(mark)) ? snooze.until : null;
}

/**
 * Snoozes a problem for an admin, or ends the snooze. Idempotent.
 *
 * @param input.state the problem's state that the admin has seen
 * @param input.days null to end it
 * @throws Refusal `not_found` if the problem is resolved, `invalid` if it got worse
 */
export async function snoozeProblem(
  ctx: Context,
  { email, ...callerPrivileges }: HeldPrivileges & { email: string },
  { kind, state, days }: { kind: ProblemKind; state: string; days: number | null },
): Promise<void> {
  if (days === null) return writeSnooze(ctx, email, { kind, snooze: null });
  const { problems } = await readProblems(ctx, callerPrivileges);
  const problem = problems.find((one) => one.kind === kind);
  if (!problem) throw new Refusal("not_found", "This problem has been resolved");
  if (problem.state !== state)
    throw new Refusal("invalid", "This problem has changed. Review it and snooze it again");
  await writeSnooze(ctx, email, { kind, snooze: { days, marks: problem.marks } });
}

type Change = { kind: ProblemKind; snooze: { days: number; marks: string[] } | null };

async function writeSnooze(ctx: Context, email: string, { kind, snooze }: Change): Promise<void> {
  const company = sql`${ctx.companyId}::text`;
  const own = snooze
    ? sql`jsonb_build_object(${kind}::text, jsonb_build_object(
        'until', clock_timestamp() + make_interval(days => ${snooze.days}::int),
        'marks', ${JSON.stringify(snooze.marks)}::jsonb))`
    : sql`'{}'::jsonb`;
  await changePreferences(ctx.db, email, (choices) => {
    const snoozes = sql`coalesce(${choices} -> 'snoozes', '{}')`;
    const others = sql`coalesce(${snoozes} -> ${company}, '{}') - ${kind}::text`;
    return sql`jsonb_build_object('snoozes',
      ${snoozes} || jsonb_build_object(${company}, (${others}) || ${own}))`;
  });
}
