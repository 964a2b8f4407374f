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

import { SessionParams, sessionRow } from "./profile.ts";

export const settingsConsole = pageEndpoints("console", "settings", {
  get: read({
    privilege: "manage_settings",
    handle: async ({ ctx }) => {
      const settings = await readCompanySettings(ctx);
      return {
        name: settings.name,
        greylisting: settings.greylisting,
        outgoingScan: settings.outgoingScan,
        outgoingScanMinimum: settings.outgoingScanMinimum,
        allowedAddresses: settings.allowedAddresses,
        sessionHoursMax: settings.sessionHoursMax,
        secondFactorRequired: settings.secondFactorRequired,
        apiKeys: settings.apiKeys,
        mailboxes: settings.mailboxes,
        admins: settings.admins,
        adminsWithoutSecondFactor: settings.adminsWithoutSecondFactor,
      };
    },
  }),

  update: change({
    privilege: "manage_settings",
    body: z.object({
      name: z.string().max(1000).optional(),
      greylisting: z.boolean().optional(),
      outgoingScan: z.enum(["off", "hold", "reject"]).optional(),
      allowedAddresses: z.array(z.string().max(200)).max(1000).optional(),
      sessionHoursMax: z.number().optional(),
      secondFactorRequired: z.boolean().optional(),
    }),
    bodyLimit: "directory",
    handle: async ({ ctx, signedIn, body }) => {
      await changeCompanySettings(ctx, signedIn, {
        name: body.name,
        greylisting: body.greylisting,
        outgoingScan: body.outgoingScan,
        allowedAddresses: body.allowedAddresses,
        sessionHoursMax: body.sessionHoursMax,
        secondFactorRequired: body.secondFactorRequired,
      });
      return { changed: true as const };
    },
  }),

  getUsage: read({
    privilege: "manage_settings",
    handle: async ({ ctx }) => {
      const usage = await readUsage(ctx);
      const { plan, month, hour, scheduled, domains, mailboxes, storage } = usage;
      return {
        ...{ plan, month, hour, scheduled, domains, mailboxes },
        storage: {
          usedBytes: storage.usedBytes,
          deletedBytes: storage.deletedBytes,
          allowedBytes: storage.allowedBytes,
        },
        largestMailboxMb: usage.largestMailboxMb,
        requestsPerSecond: usage.requestsPerSecond,
        requestsInProgress: usage.requestsInProgress,
      };
    },
  }),

  listCompanySessions: read({
    privilege: "manage_admins",
    handle: async ({ ctx, signedIn }) => {
      const whose = { companyId: ctx.companyId };
      const sessions = await listConsoleSessions(ctx.db, whose, signedIn.sessionId);
      return { data: sessions.map(sessionRow) };
    },
  }),

  endCompanySession: change({
    privilege: "manage_admins",
    params: SessionParams,
    notFound: "Session not found",
    handle: async ({ ctx, signedIn, params }) => {
      await endSessionInCompany(ctx, signedIn, params.id);
      return { ended: true as const };
    },
  }),
});
