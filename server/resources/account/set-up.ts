import { z } from "zod";

import { config } from "#server/config.ts";
import {
  type AllowedProtocols,
  clientSettings,
  findMailAddress,
  qrPath,
  readAllowedProtocols,
} from "#server/core/mailboxes/client-settings/client-settings.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";

/** @param isOwn the mailbox is the signed-in one */
function setUpAnswer(
  address: string,
  { isOwn, allowed }: { isOwn: boolean; allowed?: AllowedProtocols },
) {
  const settings = clientSettings(allowed);
  const query = `?email=${encodeURIComponent(address)}`;
  const phoneUrl = `${config().baseUrl}/account/connect${query}`;
  const hasProfile = settings.smtp.length > 0 && settings.imap.length + settings.pop3.length > 0;
  const profile = isOwn ? "/account/apple.mobileconfig" : `/apple.mobileconfig${query}`;
  return {
    address,
    ...settings,
    profilePath: hasProfile ? profile : null,
    phoneUrl,
    qr: qrPath(phoneUrl),
  };
}

export const setUpAccount = pageEndpoints("account", "setUp", {
  getSetUp: read({
    permission: "account",
    privilege: null,
    handle: async ({ ctx, mailbox: { address } }) =>
      setUpAnswer(address, { isOwn: true, allowed: await readAllowedProtocols(ctx.db, address) }),
  }),

  getConnect: read({
    permission: "public",
    privilege: null,
    query: z.object({ email: z.string().max(1000) }),
    handle: async ({ db, query }) => {
      const found = await findMailAddress(db, query.email);
      if (!found) throw new Refusal("not_found", "This server doesn't handle mail for that domain");
      return setUpAnswer(found.address, { isOwn: false });
    },
  }),
});
