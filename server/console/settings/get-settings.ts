import { z } from "zod";

import { readCompanySettings } from "#server/core/access/companies/company-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getSettings = defineEndpoint({
  method: "GET",
  path: "/console/api/settings",
  summary: "Get the company's settings",
  permission: "console",
  privilege: "manage_settings",
  response: z.object({
    name: z.string(),
    greylisting: z.boolean(),
    outgoing_scan: z
      .enum(["off", "hold", "reject"])
      .describe("Whether outgoing mail is scanned, and what happens to spam"),
    outgoing_scan_minimum: z
      .enum(["off", "hold", "reject"])
      .describe("The least that the operator requires"),
    allowed_addresses: z.array(z.string()),
    session_hours_max: z.number(),
    second_factor_required: z.boolean(),
    api_keys: z.number().describe("Number of API keys that the allow-list applies to"),
    mailboxes: z.number(),
    admins: z.number(),
    admins_without_second_factor: z.array(z.object({ email: z.string(), name: z.string() })),
  }),
  refusals: [],
  handle: async ({ ctx }) => {
    const settings = await readCompanySettings(ctx);
    return {
      name: settings.name,
      greylisting: settings.greylisting,
      outgoing_scan: settings.outgoingScan,
      outgoing_scan_minimum: settings.outgoingScanMinimum,
      allowed_addresses: settings.allowedAddresses,
      session_hours_max: settings.sessionHoursMax,
      second_factor_required: settings.secondFactorRequired,
      api_keys: settings.apiKeys,
      mailboxes: settings.mailboxes,
      admins: settings.admins,
      admins_without_second_factor: settings.adminsWithoutSecondFactor,
    };
  },
});
