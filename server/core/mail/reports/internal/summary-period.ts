import type { Context } from "#server/core/shared/context.ts";

const DAY_MS = 86_400_000;

export type Period = { from: string; to: string };

/** The last `days` days in UTC, today among them, as `YYYY-MM-DD`. */
export function summaryPeriod(ctx: Context, days: number): Period {
  const now = ctx.now().getTime();
  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: dayAt(now - (days - 1) * DAY_MS), to: dayAt(now) };
}
