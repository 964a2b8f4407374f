import { z } from "zod";

import {
  COUNTED_MAX,
  type Overview,
  readOverview,
} from "#server/core/operations/overview/overview.ts";
import { CHECKLIST_STEPS, FIRST_GOALS } from "#server/core/operations/overview/checklist.ts";
import { PROBLEM_KINDS } from "#server/core/operations/overview/problems.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const MB = 1024 * 1024;

const ProblemObject = z.object({
  kind: z.enum(PROBLEM_KINDS),
  count: z.number(),
  state: z.string().describe("Changes when the problem gets better or worse"),
  snoozed_until: z.string().nullable().describe("Null if it isn't snoozed, or got worse since"),
  domains: z.array(
    z.object({
      ...{ id: z.string(), name: z.string(), status: z.string() },
      missing: z.array(z.string()).describe("Records that the last check didn't find"),
    }),
  ),
  webhooks: z.array(z.object({ id: z.string(), endpoint: z.string(), failures: z.number() })),
  mailboxes: z.array(
    z.object({ address: z.string(), used_bytes: z.number(), quota_bytes: z.number() }),
  ),
});

const ChecklistObject = z.object({
  goal: z.enum(FIRST_GOALS).nullable().describe("Null until you choose"),
  goals: z.array(z.enum(FIRST_GOALS)).describe("Those that you have the privileges for"),
  domain: z.object({ id: z.string(), name: z.string() }).nullable(),
  mailbox: z.string().nullable().describe("The address of the oldest mailbox"),
  steps: z.array(z.object({ name: z.enum(CHECKLIST_STEPS), is_done: z.boolean() })),
  has_sent: z.boolean().describe("An email was accepted"),
  is_hidden: z.boolean(),
});

export const getOverview = defineEndpoint({
  method: "GET",
  path: "/console/api/overview",
  summary: "Get the overview of the company",
  description: "Parts that the admin can't see are null.",
  permission: "console",
  privilege: null,
  admitsUnitRoles: true,
  response: z.object({
    queue: z
      .object({
        emails: z.number().describe("Emails with pending deliveries"),
        oldest_seconds: z.number().nullable(),
        is_cut: z.boolean().describe("The count is incomplete"),
      })
      .nullable(),
    month: z
      .object({ used: z.number(), allowed: z.number().nullable() })
      .nullable()
      .describe("Recipients in this calendar month (UTC)"),
    mailboxes_nearly_full: z.number().nullable().describe("At least 90%, but not full"),
    mailboxes_on_hold: z.number().nullable().describe("Mailboxes whose outgoing mail is on hold"),
    quarantined: z.number().nullable().describe(`Messages, up to ${COUNTED_MAX}`),
    problems: z.array(ProblemObject).describe("Worst first, each with the first 50 objects"),
    checklist: ChecklistObject.nullable().describe("Null once all steps are done"),
  }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => overviewResponse(await readOverview(ctx, signedIn)),
});

function overviewResponse({ queue, checklist, problems, ...overview }: Overview) {
  return {
    ...{ month: overview.month, quarantined: overview.quarantined },
    mailboxes_nearly_full: overview.nearlyFull,
    mailboxes_on_hold: overview.onHold,
    queue: queue && {
      ...{ emails: queue.emails, oldest_seconds: queue.oldestSeconds, is_cut: queue.isCut },
    },
    problems: problems.map(({ snoozedUntil, webhooks, mailboxes, ...problem }) => ({
      ...{ kind: problem.kind, count: problem.count, state: problem.state },
      snoozed_until: snoozedUntil && consoleTimestamp(snoozedUntil),
      domains: problem.domains.map(({ id, name, status, missing }) => ({
        ...{ id, name, status, missing },
      })),
      webhooks: webhooks.map(({ id, endpoint, failures }) => ({ id, endpoint, failures })),
      mailboxes: mailboxes.map(({ address, usedBytes, quotaMb }) => ({
        ...{ address, used_bytes: usedBytes, quota_bytes: quotaMb * MB },
      })),
    })),
    checklist: checklist && {
      ...{ goal: checklist.goal, goals: checklist.goals, domain: checklist.domain },
      mailbox: checklist.mailbox,
      steps: checklist.steps.map(({ name, isDone }) => ({ name, is_done: isDone })),
      ...{ has_sent: checklist.hasSent, is_hidden: checklist.isHidden },
    },
  };
}
