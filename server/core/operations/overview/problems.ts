import { createHash } from "node:crypto";

import type { Used } from "#server/core/operations/companies/read-usage.ts";

import type { CompanyQueue } from "./internal/company-queue.ts";
import type { TroubledDomain } from "./internal/troubled-domains.ts";
import type { FullMailbox, FullMailboxes } from "./internal/troubled-mailboxes.ts";
import type { TroubledWebhook } from "./internal/troubled-webhooks.ts";

/** Worst first. */
export const PROBLEM_KINDS = [
  ...(["mailboxes_full", "mailboxes_on_hold", "webhooks_disabled", "month_used"] as const),
  ...(["domains_unverified", "records_missing", "webhooks_failing"] as const),
  ...(["queue_delayed", "month_nearly_used", "mailboxes_nearly_full"] as const),
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Like problems of a company. */
export type Problem = {
  kind: ProblemKind;
  count: number;
  /** The first of the objects concerned, in the list of their kind. */
  domains: TroubledDomain[];
  webhooks: TroubledWebhook[];
  mailboxes: FullMailbox[];
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
export function findProblems(facts: OverviewFacts): Problem[] {
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

function domainProblems(domains: TroubledDomain[]): Problem[] {
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

function webhookProblems(webhooks: TroubledWebhook[]): Problem[] {
  const disabled = webhooks.filter(({ isDisabled }) => isDisabled);
  const failing = webhooks.filter(({ isDisabled }) => !isDisabled);
  return [
    problem("webhooks_disabled", idsOf(disabled), { webhooks: disabled }),
    problem("webhooks_failing", idsOf(failing), { webhooks: failing }),
  ];
}

const mailboxProblems = (found: FullMailboxes[]): Problem[] =>
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

function quotaProblems(month: Used | null): Problem[] {
  if (!month || month.allowed === null) return [];
  if (month.used >= month.allowed) return [problem("month_used", ["used"], { count: 1 })];
  const percent = (month.used / month.allowed) * 100;
  const marks = NEARLY_USED_PERCENT.filter((bound) => percent >= bound).map(String);
  return [problem("month_nearly_used", marks, { count: 1 })];
}

type Listed = Partial<Pick<Problem, "count" | "domains" | "webhooks" | "mailboxes">>;

function problem(kind: ProblemKind, parts: string[], listed: Listed = {}): Problem {
  const { count = parts.length, domains = [], webhooks = [], mailboxes = [] } = listed;
  // Hashes, because a snooze must not keep addresses.
  const marks = parts.map((part) => hashOf(part).slice(0, MARK_LENGTH));
  return {
    ...{ kind, count, marks },
    domains: domains.slice(0, LISTED_MAX),
    webhooks: webhooks.slice(0, LISTED_MAX),
    mailboxes: mailboxes.slice(0, LISTED_MAX),
    state: hashOf(marks.toSorted().join(" ")).slice(0, 2 * MARK_LENGTH),
  };
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
