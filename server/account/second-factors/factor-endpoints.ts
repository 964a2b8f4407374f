import { mailboxOwner } from "#server/core/mailboxes/account/own-account.ts";
import { defineFactorEndpoints } from "#server/http/define-factor-endpoints.ts";
import { OptionalPassword } from "#server/http/factor-fields.ts";

export const {
  startTotp,
  confirmTotp,
  removeTotp,
  startPasskey,
  finishPasskey,
  renamePasskey,
  removePasskey,
  getPasskeyChallenge,
  regenerateRecoveryCodes,
} = defineFactorEndpoints({
  base: "/account/api",
  permission: "account",
  password: OptionalPassword,
  findOwner: ({ ctx, mailbox }) => ({ db: ctx.db, owner: mailboxOwner(ctx, mailbox) }),
});
