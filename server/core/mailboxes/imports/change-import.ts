import { and, eq, sql } from "drizzle-orm";

import { type MailImport, mailImports } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { requireMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requirePrivilegeIn } from "#server/core/mailboxes/mailboxes/require-privilege-in.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";

import { requeuedAt } from "./lease-imports.ts";
import { readSecret } from "./read-source.ts";

/**
 * Stops an import that runs or is queued, and erases its password. What was imported stays. For a finished import, only
 * erases the password.
 *
 * @throws Refusal `not_found`, `invalid_permission`
 */
export async function cancelImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockImport(ctx, callerPrivileges, id);
    const isActive = row.state === "queued" || row.state === "running";
    if (!isActive && row.sealedSecret === null) return;
    await ctx.db
      .update(mailImports)
      .set({
        sealedSecret: null,
        ...(isActive && {
          ...{ state: "canceled" as const, problem: null, finishedAt: sql`clock_timestamp()` },
        }),
      })
      .where(eq(mailImports.id, id));
    const action = isActive ? "mail_import.canceled" : "mail_import.password_erased";
    await recordAudit(ctx, action, auditDetails(row));
  });
}

/**
 * Imports what is new at the source since the last pass, and changes of flags.
 *
 * @param secret if none is stored, or another one is needed
 * @throws Refusal `not_found`, `invalid_permission`, `missing_required_field` without a secret, `invalid`
 */
export async function repeatImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
  { secret }: { secret?: string | undefined } = {},
): Promise<void> {
  const given = secret === undefined ? null : readSecret(secret);
  await inTransaction(ctx, async (ctx) => {
    const row = await lockImport(ctx, callerPrivileges, id);
    if (row.state === "queued" || row.state === "running") return;
    const sealedSecret = given === null ? row.sealedSecret : seal("import_secret", given);
    if (sealedSecret === null)
      throw new Refusal("missing_required_field", "secret: is no longer stored. Enter it again");
    await ctx.db
      .update(mailImports)
      .set({
        ...{ state: "queued", problem: null, failures: 0, sealedSecret },
        ...{ nextAttemptAt: requeuedAt, progressedAt: sql`clock_timestamp()` },
        ...{ passStartedAt: null, finishedAt: null },
      })
      .where(eq(mailImports.id, id));
    await recordAudit(ctx, "mail_import.started", auditDetails(row));
  });
}

const auditDetails = ({ mailbox, host, account }: MailImport) => ({ mailbox, host, account });

async function lockImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
): Promise<MailImport> {
  const own = and(eq(mailImports.id, id), eq(mailImports.companyId, ctx.companyId));
  const [row] = isUuid(id) ? await ctx.db.select().from(mailImports).where(own).for("update") : [];
  if (!row) throw new Refusal("not_found", "Import not found");
  const { orgUnitId } = await requireMailbox(ctx, row.mailbox);
  requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
  return row;
}
