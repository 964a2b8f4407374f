import { z } from "zod";

import { listOwnAddresses } from "#server/core/mail/submission/submitter.ts";
import { listContacts } from "#server/core/mailboxes/addresses/contacts.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";

const LIMIT_MAX = 200;
const FIRST_MAX = 1_000_000;

const number = (most: number) =>
  z
    .string()
    .regex(/^\d{1,7}$/, { error: "must be a whole number" })
    .transform(Number)
    .refine((value) => value <= most, { error: `must be at most ${most}` });

/** What Roundcube's plugin reads. */
export const webmailAccount = pageEndpoints("account", "webmail", {
  profile: read({
    permission: "webmail",
    handle: async ({ ctx, mailbox: { address, name, companyId, companyName } }) => ({
      name,
      company: companyName,
      identities: await listOwnAddresses(ctx.db, { address, companyId }),
    }),
  }),

  contacts: read({
    permission: "webmail",
    query: z.object({
      search: z.string().max(200).default(""),
      first: number(FIRST_MAX).default(0),
      limit: number(LIMIT_MAX).default(LIMIT_MAX),
    }),
    handle: ({ ctx, query }) => listContacts(ctx, query),
  }),
});
