import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { PolicyResponse, policyResponse } from "#server/console/units/policy-fields.ts";
import { getEffectiveSettings as get } from "#server/core/mailboxes/mailboxes/mailbox-access.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const getEffectiveSettings = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes/{email}/effective-settings",
  summary: "Retrieve the policies, mail rules, and sending limits in effect for a mailbox",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: z.object({
    policies: z.array(PolicyResponse),
    forward_to: z.array(z.string()),
    keeps_copy: z.boolean().describe("Whether forwarded mail is also kept"),
    vacation: z
      .object({
        is_on: z.boolean(),
        subject: z.string(),
        starts_on: z.string().nullable(),
        ends_on: z.string().nullable(),
        time_zone: z.string(),
      })
      .nullable(),
    filters: z.int().describe("Number of active filters"),
    sending: z.object({
      last_hour: z.int().describe("Recipients sent to from mail apps in the last 60 minutes"),
      hourly_max: z.int(),
      held_at: z.string().nullable(),
    }),
  }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    const { policies, rules, sending } = await get(ctx, signedIn, params.email);
    const { vacation, forwardTo, keepCopy, filters } = rules;
    return {
      policies: policies.map(policyResponse),
      ...{ forward_to: forwardTo, keeps_copy: keepCopy },
      vacation: vacation && {
        ...{ is_on: vacation.isOn, subject: vacation.subject, time_zone: vacation.timeZone },
        ...{ starts_on: vacation.startsOn, ends_on: vacation.endsOn },
      },
      filters: filters.filter(({ isOn }) => isOn).length,
      sending: {
        last_hour: sending.lastHour,
        hourly_max: sending.hourlyMax,
        held_at: sending.heldAt && consoleTimestamp(sending.heldAt),
      },
    };
  },
});
