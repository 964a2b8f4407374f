import { expireClaims } from "#server/core/domains/ownership/expire-claims.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Clears away domains whose ownership was not proven in time. Nobody saw them since; late does no harm. */
export const expireDomainClaims = defineTask("expire_domain_claims", async () => {
  await expireClaims(db());
});
