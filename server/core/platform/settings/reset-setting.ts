import { eq } from "drizzle-orm";

import { settings } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { requireSettingName } from "./change-setting.ts";
import { invalidateSettings } from "./read-settings.ts";
import { SETTINGS } from "./settings.ts";
import { maskSetting } from "./mask-setting.ts";

/**
 * Resets a run-time setting to its default.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `not_found` for an unknown name
 */
export async function resetSetting(ctx: Context, asked: string): Promise<void> {
  const name = requireSettingName(asked);
  await inTransaction(ctx, async (ctx) => {
    const [row] = await ctx.db
      .delete(settings)
      .where(eq(settings.name, name))
      .returning({ value: settings.value });
    if (!row) return;
    const [from, to] = [maskSetting(name, row.value), SETTINGS[name].default];
    await recordAudit(ctx, "setting.reset", { setting: name, from, to });
  });
  invalidateSettings();
}
