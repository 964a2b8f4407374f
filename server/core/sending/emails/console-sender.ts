import { and, between, eq, isNull, sql } from "drizzle-orm";

import { admins, auditEntries, emails } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import type { EmailInput } from "./email-input.ts";
import { countRecipients } from "./internal/recipients.ts";

const ACTION = "email.sent";

/** Records who sends an email from the console, in the transaction that accepts it. */
export const recordConsoleSend = (
  ctx: Context,
  email: { id: string; input: EmailInput },
): Promise<void> =>
  recordAudit(ctx, ACTION, {
    email: email.id,
    ...(ctx.actor.kind === "admin" && { adminId: ctx.actor.adminId }),
    from: email.input.fromAddress.address,
    recipients: countRecipients(email.input),
  });

/**
 * The admin who sent an email from the console, for a lateral join with `emails`. Email and audit entry share
 * a transaction, so only a short time range of the log is searched. An admin who scheduled an email must
 * still have access when it is due, like the creator of an API key.
 */
export const consoleSender = (db: Db) =>
  db
    .select({
      actor: sql<string>`${auditEntries.actor}`.as("actor"),
      isAdmitted: sql<boolean>`exists (select from ${admins}
        where ${admins.companyId} = ${auditEntries.companyId}
          and ${admins.id}::text = ${auditEntries.details} ->> 'adminId' and ${isNull(admins.disabledAt)})`.as(
        "is_admitted",
      ),
    })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, emails.companyId),
        between(
          auditEntries.createdAt,
          sql`${emails.createdAt} - interval '1 minute'`,
          sql`${emails.createdAt} + interval '1 minute'`,
        ),
        eq(auditEntries.action, ACTION),
        sql`${auditEntries.details} ->> 'email' = ${emails.id}::text`,
      ),
    )
    .limit(1)
    .as("sender");
