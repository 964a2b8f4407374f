import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import type { Used } from "#server/core/operations/companies/read-usage.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Checklist, readChecklist } from "./checklist.ts";
import { countQuarantined } from "./count-quarantined.ts";
import type { CompanyQueue } from "./internal/company-queue.ts";
import type { Problem } from "./problems.ts";
import { readProblems } from "./read-problems.ts";
import { readSnoozes, snoozedUntil } from "./snoozes.ts";

/** A company's overview; null for parts that the admin can't see. */
export type Overview = {
  queue: CompanyQueue | null;
  month: Used | null;
  nearlyFull: number | null;
  onHold: number | null;
  quarantined: number | null;
  problems: (Problem & { snoozedUntil: string | null })[];
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
    ...{ queue: facts.queue, month: facts.month, quarantined, checklist },
    nearlyFull: facts.mailboxes?.find(({ isFull }) => !isFull)?.count ?? null,
    onHold: facts.onHold?.length ?? null,
    problems: problems.map((problem) => ({
      ...problem,
      snoozedUntil: snoozedUntil(problem, snoozes),
    })),
  };
}
