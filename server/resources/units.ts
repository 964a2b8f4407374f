import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { createUnit, deleteUnit, updateUnit } from "#server/core/mailboxes/org-units/units.ts";
import { getUnit, viewUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

/** Malformed IDs become 0, which no unit has, so that they return 404. */
const UnitPath = z.object({
  id: z.string().transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : 0)),
});

/** Null inherits the parent's value. */
const PolicyChanges = z
  .object({
    defaultQuotaMb: z.number().nullable(),
    imapAllowed: z.boolean().nullable(),
    pop3Allowed: z.boolean().nullable(),
    submissionAllowed: z.boolean().nullable(),
    calendarAllowed: z.boolean().nullable(),
    outsideAllowed: z.boolean().nullable(),
    forwarding: z.enum(["allowed", "confirmed", "forbidden"]).nullable(),
    appPasswordsAllowed: z.boolean().nullable(),
    passwordLengthMin: z.number().nullable(),
    quarantineDigest: z.enum(["off", "daily"]).nullable(),
    quarantineRelease: z.enum(["none", "spam"]).nullable(),
    fullTextSearch: z.enum(["off", "on"]).nullable(),
  })
  .partial();

/** Organizational units and their policies. */
export const unitsConsole = pageEndpoints("console", "units", {
  list: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    async handle({ ctx, signedIn }) {
      const units = await viewUnits(ctx, signedIn);
      return {
        mayChange: signedIn.privileges.has("manage_settings"),
        data: units.map((unit) => ({
          id: unit.id,
          name: unit.name,
          parentId: unit.shownUnder,
          isRoot: unit.parentId === null,
          mailboxes: unit.mailboxes,
          mailboxesBelow: unit.mailboxesBelow,
        })),
      };
    },
  }),

  create: change({
    privilege: "manage_settings",
    bodyLimit: "directory",
    body: z.object({ name: z.string(), parentId: z.int() }),
    handle: async ({ ctx, body }) => ({
      id: await createUnit(ctx, body),
    }),
  }),

  get: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    params: UnitPath,
    async handle({ ctx, signedIn, params }) {
      const { unit, policies, roles, sizes } = await getUnit(ctx, signedIn, params.id);
      return {
        id: unit.id,
        name: unit.name,
        isRoot: unit.parentId === null,
        mailboxes: unit.mailboxes,
        createdAt: consoleTimestamp(unit.createdAt),
        policies: policies.map(({ name, value, from, own, above, appliesTo, usedThisWeek }) => ({
          name,
          value,
          from,
          own,
          appliesTo,
          usedThisWeek,
          above: { value: above.value, from: above.from },
        })),
        roles,
        defaultQuotaMb: sizes.defaultQuotaMb,
        quotaMbMax: sizes.quotaMbMax,
      };
    },
  }),

  update: change({
    privilege: "manage_settings",
    bodyLimit: "directory",
    params: UnitPath,
    body: z.object({ name: z.string(), parentId: z.int(), policies: PolicyChanges }).partial(),
    async handle({ ctx, signedIn, params: { id }, body: { name, parentId, policies = {} } }) {
      await updateUnit(ctx, signedIn, id, { name, parentId, policies });
      return { id };
    },
  }),

  delete: change({
    privilege: "manage_settings",
    params: UnitPath,
    async handle({ ctx, params: { id } }) {
      await deleteUnit(ctx, id);
      return { id };
    },
  }),
});
