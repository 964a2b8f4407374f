import { z } from "zod";

import { switchCompany } from "#server/core/access/sessions/console-sessions.ts";
import { change, pageEndpoints } from "#server/http/endpoint.ts";

export const companySwitchConsole = pageEndpoints("console", "companySwitch", {
  switchCompany: change({
    permission: "console_door",
    privilege: null,
    params: z.object({ id: z.uuid() }),
    notFound: "Company not found",
    handle: async ({ ctx, signedIn, params, request, headers }) => {
      const origin = {
        clientAddress: request.address,
        userAgent: request.headers["user-agent"] ?? null,
      };
      headers.append("set-cookie", await switchCompany(ctx.db, signedIn, params.id, origin));
      return { signedIn: true as const };
    },
  }),
});
