import { expireClaims } from "#server/core/domains/ownership/claims.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/**
 * Deletes domains whose ownership was not verified in time. They are hidden already, so running late is
 * harmless.
 */
export const expireDomainClaims = defineTask("expire_domain_claims", async () => {
  await expireClaims(db());
});
