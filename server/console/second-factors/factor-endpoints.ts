import { personOwner } from "#server/core/access/second-factors/factor-changes.ts";
import { defineFactorEndpoints } from "#server/http/define-factor-endpoints.ts";
import { Password } from "#server/http/text-fields.ts";

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
  base: "/console/api/profile",
  permission: "console_door",
  password: Password,
  findOwner: ({ ctx, signedIn }) => ({ db: ctx.db, owner: personOwner(signedIn) }),
});
