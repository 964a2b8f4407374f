import { personOwner } from "#server/core/access/second-factors/factor-changes.ts";
import { pageEndpoints } from "#server/http/endpoint.ts";
import { factorEndpoints } from "#server/http/second-factors.ts";
import { Password } from "#server/http/text-fields.ts";

export const secondFactorsConsole = pageEndpoints(
  "console",
  "secondFactors",
  factorEndpoints({
    permission: "console_door",
    password: Password,
    findOwner: ({ ctx, signedIn }) => ({ db: ctx.db, owner: personOwner(signedIn) }),
  }),
);
