import { createHash } from "node:crypto";

import { sql } from "drizzle-orm";

import {
  hasPrivilegeAnywhere,
  type HeldPrivileges,
} from "#server/core/access/privileges/privileges.ts";
import { readUsage, type Used } from "#server/core/operations/companies/company-usage.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type Privilege, READ_EMAILS } from "#server/universal/privileges.ts";

import { changePreferences } from "./checklist.ts";
import {
  type CompanyQueue,
  companyQueue,
  type FullMailboxes,
  listFullMailboxes,
  mailboxesOnHold,
  type MailboxUsage,
  type TroubledDomain,
  troubledDomains,
  type TroubledWebhook,
  troubledWebhooks,
} from "./internal/troubles.ts";

/** Worst first. */
export const PROBLEM_KINDS = [
  ...(["mailboxes_full", "mailboxes_on_hold", "webhooks_disabled", "month_used"] as const),
  ...(["domains_unverified", "records_missing", "webhooks_failing"] as const),
  ...(["queue_delayed", "month_nearly_used", "mailboxes_nearly_full"] as const),
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Like problems of a company. */
export type CompanyProblem = {
  kind: ProblemKind;
  count: number;
  /** The first of the objects concerned, in the list of their kind. */
  domains: TroubledDomain[];
  webhooks: TroubledWebhook[];
  mailboxes: MailboxUsage[];
  /** Hashes of what the problem consists of. It got worse if it has one that it didn't have before. */
  marks: string[];
  /** Changes with the marks. */
  state: string;
};

/** Null for what the admin can't see. */
export type OverviewFacts = {
  queue: CompanyQueue | null;
  month: Used | null;
  domains: TroubledDomain[] | null;
  webhooks: TroubledWebhook[] | null;
  mailboxes: FullMailboxes[] | null;
  onHold: string[] | null;
};

/** Listed objects per problem. */
const LISTED_MAX = 50;

const MARK_LENGTH = 8;

/** New emails are retried at least hourly. If the oldest is older, delivery is slow. */
const DELAYED_HOURS = [1, 2, 4, 8, 16, 32, 64];

const NEARLY_USED_PERCENT = [90, 95];

/** Groups what is wrong. */
function findProblems(facts: OverviewFacts): CompanyProblem[] {
  const problems = [
    ...domainProblems(facts.domains ?? []),
    ...webhookProblems(facts.webhooks ?? []),
    ...mailboxProblems(facts.mailboxes ?? []),
    problem("mailboxes_on_hold", facts.onHold ?? []),
    problem("queue_delayed", delayMarks(facts.queue), { count: 1 }),
    ...quotaProblems(facts.month),
  ].filter(({ marks }) => marks.length > 0);
  return PROBLEM_KINDS.flatMap((kind) => problems.filter((one) => one.kind === kind));
}

function domainProblems(domains: TroubledDomain[]): CompanyProblem[] {
  const pending = domains.filter(({ status }) => status !== "verified");
  const incomplete = domains.filter(({ status }) => status === "verified");
  return [
    problem("domains_unverified", idsOf(pending), { domains: pending }),
    problem(
      "records_missing",
      incomplete.flatMap(({ id, missing }) => missing.map((record) => `${id} ${record}`)),
      { domains: incomplete, count: incomplete.length },
    ),
  ];
}

function webhookProblems(webhooks: TroubledWebhook[]): CompanyProblem[] {
  const disabled = webhooks.filter(({ isDisabled }) => isDisabled);
  const failing = webhooks.filter(({ isDisabled }) => !isDisabled);
  return [
    problem("webhooks_disabled", idsOf(disabled), { webhooks: disabled }),
    problem("webhooks_failing", idsOf(failing), { webhooks: failing }),
  ];
}

const mailboxProblems = (found: FullMailboxes[]): CompanyProblem[] =>
  found.map(({ isFull, count, mailboxes }) =>
    problem(
      isFull ? "mailboxes_full" : "mailboxes_nearly_full",
      mailboxes.map(({ address }) => address),
      { mailboxes, count },
    ),
  );

function delayMarks(queue: CompanyQueue | null): string[] {
  const hours = (queue?.oldestSeconds ?? 0) / 3_600;
  return DELAYED_HOURS.filter((bound) => hours >= bound).map(String);
}

function quotaProblems(month: Used | null): CompanyProblem[] {
  if (!month || month.allowed === null) return [];
  if (month.used >= month.allowed) return [problem("month_used", ["used"], { count: 1 })];
  const percent = (month.used / month.allowed) * 100;
  const marks = NEARLY_USED_PERCENT.filter((bound) => percent >= bound).map(String);
  return [problem("month_nearly_used", marks, { count: 1 })];
}

type Listed = Partial<Pick<CompanyProblem, "count" | "domains" | "webhooks" | "mailboxes">>;

function problem(kind: ProblemKind, parts: string[], listed: Listed = {}): CompanyProblem {
  const { count = parts.length, domains = [], webhooks = [], mailboxes = [] } = listed;
  // Hashes, because a snooze must not keep addresses.
  const marks = parts.map((part) => hashOf(part).slice(0, MARK_LENGTH));
  return {
    kind,
    count,
    marks,
    domains: domains.slice(0, LISTED_MAX),
    webhooks: webhooks.slice(0, LISTED_MAX),
    mailboxes: mailboxes.slice(0, LISTED_MAX),
    state: hashOf(marks.toSorted().join(" ")).slice(0, 2 * MARK_LENGTH),
  };
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Reads the facts the caller may see, and the problems in them. Mailboxes are limited to the units that they cover. */
export async function readProblems(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<{ facts: OverviewFacts; problems: CompanyProblem[] }> {
  const holds = (...wanted: Privilege[]) =>
    wanted.some((privilege) => callerPrivileges.privileges.has(privilege));
  const holdsAnywhere = (privilege: Privilege) => hasPrivilegeAnywhere(callerPrivileges, privilege);
  const ifSo = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? read() : null);
  const [queue, month, domains, webhooks, mailboxes, onHold] = await Promise.all([
    ifSo(holds(...READ_EMAILS), () => companyQueue(ctx)),
    ifSo(holds(...READ_EMAILS, "manage_settings"), async () => (await readUsage(ctx)).month),
    ifSo(holds("api_controls", "domains"), () => troubledDomains(ctx)),
    ifSo(holds("api_controls"), () => troubledWebhooks(ctx)),
    ifSo(holdsAnywhere("view_users"), () => listFullMailboxes(ctx, callerPrivileges)),
    ifSo(holdsAnywhere("reset_user_passwords"), () => mailboxesOnHold(ctx, callerPrivileges)),
  ]);
  const facts = { queue, month, domains, webhooks, mailboxes, onHold };
  return { facts, problems: findProblems(facts) };
}

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
  { kind, marks }: CompanyProblem,
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
