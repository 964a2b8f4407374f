import { getFactors, mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import { ATTEMPT_MINUTES } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { startProviderConfirmation } from "#server/core/mailboxes/account/account-sign-in.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/own-account.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { factorEndpoints, factorsObject, OptionalPassword } from "#server/http/second-factors.ts";

export const secondFactorsAccount = pageEndpoints("account", "secondFactors", {
  ...factorEndpoints({
    permission: "account",
    password: OptionalPassword,
    findOwner: ({ ctx, mailbox }) => ({ db: ctx.db, owner: mailboxOwner(ctx, mailbox) }),
  }),

  get: read({
    permission: "account",
    privilege: null,
    handle: async ({ ctx, mailbox }) => ({
      secondFactor: factorsObject(await getFactors(ctx.db, mailboxAccount(mailbox.address))),
    }),
  }),

  startProviderConfirmation: change({
    permission: "account",
    privilege: null,
    handle: async ({ ctx, mailbox, request, headers }) => {
      const { token, url } = await startProviderConfirmation(ctx.db, mailbox, request.address);
      headers.append("set-cookie", stepCookie("account", token, ATTEMPT_MINUTES));
      return { url };
    },
  }),
});
