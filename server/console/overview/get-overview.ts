import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { COUNTED_MAX } from "#server/core/operations/overview/count-waiting.ts";
import { type Overview, readOverview } from "#server/core/operations/overview/read-overview.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const listWithCount = <Item extends z.ZodType>(item: Item) =>
  z.object({ count: z.number(), first: z.array(item).describe("The first five") }).nullable();

const MB = 1024 * 1024;

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
        waiting: z.number().describe("Recipients with pending deliveries"),
        oldest_seconds: z.number().nullable(),
        is_cut: z.boolean().describe("The count is incomplete"),
      })
      .nullable(),
    month: z
      .object({ used: z.number(), allowed: z.number().nullable() })
      .nullable()
      .describe("Recipients in this calendar month (UTC)"),
    domains: listWithCount(
      z.object({
        id: z.string(),
        name: z.string(),
        status: z.string(),
        missing: z.array(z.string()).describe("Records that the last check didn't find"),
      }),
    ),
    webhooks: listWithCount(
      z.object({
        id: z.string(),
        endpoint: z.string(),
        failures: z.number(),
        failing_since: z.string().nullable(),
        is_disabled: z.boolean(),
      }),
    ),
    mailboxes: listWithCount(
      z.object({ address: z.string(), used_bytes: z.number(), quota_bytes: z.number() }),
    ).describe("Mailboxes that are at least 90% full"),
    mailboxes_on_hold: z.number().nullable().describe("Mailboxes whose outgoing mail is on hold"),
    quarantined: z.number().nullable().describe(`Messages, up to ${COUNTED_MAX}`),
    checklist: z
      .object({
        domain: z.object({ id: z.string(), name: z.string() }).nullable(),
        is_verified: z.boolean(),
        has_key: z.boolean(),
        has_sent: z.boolean(),
        is_hidden: z.boolean(),
      })
      .nullable()
      .describe("Null once the first email was delivered"),
  }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => overviewResponse(await readOverview(ctx, signedIn)),
});

function overviewResponse({
  queue,
  domains,
  webhooks,
  mailboxes,
  held,
  checklist,
  ...rest
}: Overview) {
  return {
    ...rest,
    mailboxes_on_hold: held,
    queue: queue && {
      ...{ waiting: queue.waiting, oldest_seconds: queue.oldestSeconds, is_cut: queue.isCut },
    },
    domains: domains && {
      count: domains.count,
      first: domains.first.map(({ id, name, status, missing }) => ({ id, name, status, missing })),
    },
    webhooks: webhooks && {
      count: webhooks.count,
      first: webhooks.first.map(({ id, endpoint, failures, failingSince, isDisabled }) => ({
        ...{ id, endpoint, failures },
        failing_since: failingSince && consoleTimestamp(failingSince),
        is_disabled: isDisabled,
      })),
    },
    mailboxes: mailboxes && {
      count: mailboxes.count,
      first: mailboxes.first.map(({ address, usedBytes, quotaMb }) => ({
        ...{ address, used_bytes: usedBytes, quota_bytes: quotaMb * MB },
      })),
    },
    checklist: checklist && {
      ...{ domain: checklist.domain, is_verified: checklist.isVerified, has_key: checklist.hasKey },
      ...{ has_sent: checklist.hasSent, is_hidden: checklist.isHidden },
    },
  };
}
