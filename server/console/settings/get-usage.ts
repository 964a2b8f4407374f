import { z } from "zod";

import { readUsage } from "#server/core/operations/companies/company-usage.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Used = z.object({
  used: z.number(),
  allowed: z.number().nullable().describe("Null for no limit"),
});

export const getUsage = defineEndpoint({
  method: "GET",
  path: "/console/api/settings/usage",
  summary: "Get the company's usage and limits",
  permission: "console",
  privilege: "manage_settings",
  response: z.object({
    plan: z.string().nullable(),
    month: Used,
    hour: Used,
    scheduled: Used,
    domains: Used,
    mailboxes: Used,
    storage: z.object({
      used_bytes: z.number(),
      deleted_bytes: z.number().describe("The part used by deleted mailboxes"),
      allowed_bytes: z.number(),
    }),
    largest_mailbox_mb: z.number().nullable(),
    requests_per_second: z.number(),
    requests_in_progress: z.number(),
  }),
  refusals: [],
  handle: async ({ ctx }) => {
    const usage = await readUsage(ctx);
    const { plan, month, hour, scheduled, domains, mailboxes, storage } = usage;
    return {
      ...{ plan, month, hour, scheduled, domains, mailboxes },
      storage: {
        used_bytes: storage.usedBytes,
        deleted_bytes: storage.deletedBytes,
        allowed_bytes: storage.allowedBytes,
      },
      largest_mailbox_mb: usage.largestMailboxMb,
      requests_per_second: usage.requestsPerSecond,
      requests_in_progress: usage.requestsInProgress,
    };
  },
});
