import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { FIRST_GOALS, changeChecklist } from "#server/core/operations/overview/checklist.ts";
import { PROBLEM_KINDS, snoozeProblem } from "#server/core/operations/overview/problems.ts";
import { type Overview, readOverview } from "#server/core/operations/overview/overview.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

const Change = z.object({ isHidden: z.boolean(), goal: z.enum(FIRST_GOALS) }).partial();

const MB = 1024 * 1024;

function overviewResponse({ queue, checklist, problems, ...overview }: Overview) {
  return {
    ...{ month: overview.month, quarantined: overview.quarantined },
    mailboxes_nearly_full: overview.nearlyFull,
    mailboxes_on_hold: overview.onHold,
    queue: queue && {
      ...{ emails: queue.emails, oldestSeconds: queue.oldestSeconds, isCut: queue.isCut },
    },
    problems: problems.map(({ snoozedUntil, webhooks, mailboxes, ...problem }) => ({
      ...{ kind: problem.kind, count: problem.count, state: problem.state },
      snoozedUntil: snoozedUntil && consoleTimestamp(snoozedUntil),
      domains: problem.domains.map(({ id, name, status, missing }) => ({
        ...{ id, name, status, missing },
      })),
      webhooks: webhooks.map(({ id, endpoint, failures }) => ({ id, endpoint, failures })),
      mailboxes: mailboxes.map(({ address, usedBytes, quotaMb }) => ({
        ...{ address, usedBytes, quotaBytes: quotaMb * MB },
      })),
    })),
    checklist: checklist && {
      ...{ goal: checklist.goal, goals: checklist.goals, domain: checklist.domain },
      mailbox: checklist.mailbox,
      steps: checklist.steps.map(({ name, isDone }) => ({ name, isDone })),
      ...{ hasSent: checklist.hasSent, isHidden: checklist.isHidden },
    },
  };
}

const Snooze = z.object({
  kind: z.enum(PROBLEM_KINDS),
  state: z.string().max(100),
  days: z.union([z.literal(1), z.literal(7), z.literal(30)]).nullable(),
});

export const overviewConsole = pageEndpoints("console", "overview", {
  get: read({
    privilege: null,
    admitsUnitRoles: true,
    handle: async ({ ctx, signedIn }) => overviewResponse(await readOverview(ctx, signedIn)),
  }),

  changeChecklist: change({
    privilege: null,
    body: Change,
    bodyLimit: "directory",
    async handle({ ctx, signedIn, body }) {
      await changeChecklist(ctx, signedIn.email, { isHidden: body.isHidden, goal: body.goal });
      return body;
    },
  }),

  snoozeProblem: change({
    privilege: null,
    admitsUnitRoles: true,
    body: Snooze,
    bodyLimit: "directory",
    notFound: "This problem has been resolved",
    async handle({ ctx, signedIn, body }) {
      await snoozeProblem(ctx, signedIn, body);
      return body;
    },
  }),
});
