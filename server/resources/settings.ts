import { z } from "zod";

import {
  changeCompanySettings,
  readCompanySettings,
} from "#server/core/access/companies/company-settings.ts";
import {
  endSessionInCompany,
  listConsoleSessions,
} from "#server/core/access/sessions/console-sessions.ts";
import { readUsage } from "#server/core/operations/companies/company-usage.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { LANGUAGES } from "#server/universal/texts/languages.ts";

import { SessionParams, shownSession } from "./profile.ts";

/** The company's settings, usage and sessions. */
export const settingsConsole = pageEndpoints("console", "settings", {
  get: read({
    privilege: "manage_settings",
    handle: async ({ ctx }) => ({ ...(await readCompanySettings(ctx)), languages: LANGUAGES }),
  }),

  update: change({
    privilege: "manage_settings",
    body: z
      .object({
        name: z.string().max(1000),
        greylisting: z.boolean(),
        logsRequestBodies: z.boolean(),
        language: z.enum(LANGUAGES),
        outgoingScan: z.enum(["off", "hold", "reject"]),
        allowedAddresses: z.array(z.string().max(200)).max(1000),
        sessionHoursMax: z.number(),
        secondFactorRequired: z.boolean(),
      })
      .partial(),
    bodyLimit: "directory",
    handle: async ({ ctx, signedIn, body }) => {
      await changeCompanySettings(ctx, signedIn, body);
      return { changed: true as const };
    },
  }),

  getUsage: read({
    privilege: "manage_settings",
    handle: ({ ctx }) => readUsage(ctx),
  }),

  listCompanySessions: read({
    privilege: "manage_admins",
    handle: async ({ ctx, signedIn }) => {
      const whose = { companyId: ctx.companyId };
      const sessions = await listConsoleSessions(ctx.db, whose, signedIn.sessionId);
      return { data: sessions.map(shownSession) };
    },
  }),

  endCompanySession: change({
    privilege: "manage_admins",
    params: SessionParams,
    handle: async ({ ctx, signedIn, params }) => {
      await endSessionInCompany(ctx, signedIn, params.id);
      return { ended: true as const };
    },
  }),
});
