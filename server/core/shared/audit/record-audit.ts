import { auditEntries } from "#drizzle/schema/index.ts";
import type { Actor, Context } from "#server/core/shared/context.ts";

/** A statement can have 65,535 parameters, and each row takes five. */
const ROWS_MAX = 10_000;

/**
 * Records a change in the company's audit log. Call in the transaction of the change, so that neither exists
 * without the other.
 *
 * @param action `noun.verb_past`
 */
export async function recordAudit(
  ctx: Context,
  action: `${string}.${string}`,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudits(ctx, action, [details]);
}

/** Like `recordAudit`, with one entry per item of `details` and thousands of entries per statement. */
export async function recordAudits(
  ctx: Context,
  action: `${string}.${string}`,
  details: Record<string, unknown>[],
): Promise<void> {
  const { companyId } = ctx;
  await recordAuditsAcross(
    ctx,
    action,
    details.map((each) => ({ companyId, details: each })),
  );
}

/** Like `recordAudits`, with entries of several companies. */
export async function recordAuditsAcross(
  { db, actor }: Pick<Context, "db" | "actor">,
  action: `${string}.${string}`,
  entries: { companyId: string; details: Record<string, unknown> }[],
): Promise<void> {
  const shared = { actor: actorName(actor), actorKind: actor.kind, action };
  for (let at = 0; at < entries.length; at += ROWS_MAX)
    await db
      .insert(auditEntries)
      .values(entries.slice(at, at + ROWS_MAX).map((entry) => ({ ...shared, ...entry })));
}

/** The actor as the audit log names it. */
export function actorName(actor: Actor): string {
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
