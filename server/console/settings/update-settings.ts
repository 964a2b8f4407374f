import { z } from "zod";

import { changeCompanySettings } from "#server/core/access/companies/company-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const updateSettings = defineEndpoint({
  method: "PATCH",
  path: "/console/api/settings",
  summary: "Update the company's settings. Omitted fields don't change",
  permission: "console",
  privilege: "manage_settings",
  body: z.object({
    name: z.string().max(1000).optional(),
    greylisting: z.boolean().optional(),
    outgoing_scan: z.enum(["off", "hold", "reject"]).optional(),
    allowed_addresses: z.array(z.string().max(200)).max(1000).optional(),
    session_hours_max: z.number().optional(),
    second_factor_required: z.boolean().optional(),
  }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["invalid", "not_allowed", "invalid_permission"],
  handle: async ({ ctx, signedIn, body }) => {
    await changeCompanySettings(ctx, signedIn, {
      name: body.name,
      greylisting: body.greylisting,
      outgoingScan: body.outgoing_scan,
      allowedAddresses: body.allowed_addresses,
      sessionHoursMax: body.session_hours_max,
      secondFactorRequired: body.second_factor_required,
    });
    return { changed: true as const };
  },
});
