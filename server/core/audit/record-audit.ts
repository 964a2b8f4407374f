import { auditEntries } from "#drizzle/schema/index.ts";
import type { Actor, Context } from "#server/core/context.ts";

/**
 * Notes a change in the company's audit log. Called inside the transaction of the change: without
 * its entry the change does not happen.
 *
 * @param action `noun.verb_past`
 */
export async function recordAudit(
  ctx: Context,
  action: `${string}.${string}`,
  details: Record<string, unknown>,
): Promise<void> {
  await ctx.db.insert(auditEntries).values({
    companyId: ctx.companyId,
    actor: nameOf(ctx.actor),
    actorKind: ctx.actor.kind,
    action,
    details,
  });
}

function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case "api_key":
      return `API key ${actor.keyName}`;
    case "admin":
      return actor.email;
    case "operator":
      return actor.email;
    case "mailbox":
      return actor.address;
    case "system":
      return "system";
  }
}
