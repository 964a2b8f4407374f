import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { FIRST_GOALS, changeChecklist } from "#server/core/operations/overview/checklist.ts";
import { PROBLEM_KINDS, snoozeProblem } from "#server/core/operations/overview/problems.ts";
import { type Overview, readOverview } from "#server/core/operations/overview/overview.ts";
import { SEARCH_KINDS, search } from "#server/core/operations/search/search.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

const MB = 1024 * 1024;

const shownOverview = ({ problems, ...overview }: Overview) => ({
  ...overview,
  problems: problems.map(({ snoozedUntil, webhooks, mailboxes, ...problem }) => ({
    kind: problem.kind,
    count: problem.count,
    state: problem.state,
    snoozedUntil: snoozedUntil && consoleTimestamp(snoozedUntil),
    domains: problem.domains.map(({ id, name, status, missing }) => ({
      id,
      name,
      status,
      missing,
    })),
    webhooks: webhooks.map(({ id, endpoint, failures }) => ({ id, endpoint, failures })),
    mailboxes: mailboxes.map(({ address, usedBytes, quotaMb }) => ({
      address,
      usedBytes,
      quotaBytes: quotaMb * MB,
    })),
  })),
});

/** The overview page: problems and the checklist of new companies. Also the search in the command palette. */
export const overviewConsole = pageEndpoints("console", "overview", {
  get: read({
    privilege: null,
    admitsUnitRoles: true,
    handle: async ({ ctx, signedIn }) => shownOverview(await readOverview(ctx, signedIn)),
  }),

  changeChecklist: change({
    privilege: null,
    body: z.object({ isHidden: z.boolean(), goal: z.enum(FIRST_GOALS) }).partial(),
    bodyLimit: "directory",
    async handle({ ctx, signedIn, body }) {
      await changeChecklist(ctx, signedIn.email, body);
      return body;
    },
  }),

  snoozeProblem: change({
    privilege: null,
    admitsUnitRoles: true,
    body: z.object({
      kind: z.enum(PROBLEM_KINDS),
      state: z.string().max(100),
      days: z.union([z.literal(1), z.literal(7), z.literal(30)]).nullable(),
    }),
    bodyLimit: "directory",
    async handle({ ctx, signedIn, body }) {
      await snoozeProblem(ctx, signedIn, body);
      return body;
    },
  }),

  search: read({
    // Returns only kinds whose lists the admin can view.
    privilege: null,
    query: z.object({
      q: z.string().max(200),
      kinds: z
        .string()
        .transform((kinds) => kinds.split(","))
        .pipe(z.array(z.enum(SEARCH_KINDS)))
        .default([...SEARCH_KINDS]),
    }),
    handle: async ({ ctx, signedIn, query: { q: text, kinds } }) => ({
      data: await search(ctx, signedIn, { text, kinds }),
    }),
  }),
});
