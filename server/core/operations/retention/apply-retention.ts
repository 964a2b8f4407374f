import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { RetentionRule } from "./retention-rules.ts";

/** The setting's value that keeps everything. */
const FOREVER = 0;

const logger = createLogger("retention");

/**
 * Deletes what is older than the rules and settings allow. Safe to run concurrently.
 *
 * @throws Error that names each rule that failed, after applying the others
 */
export async function applyRetention(db: Db, rules: RetentionRule[]): Promise<void> {
  const settings = await readSettings(db);
  const failures: string[] = [];
  for (const rule of rules)
    try {
      if (rule.days === null) await rule.apply(db);
      else {
        const days = typeof rule.days === "string" ? settings[rule.days] : rule.days;
        if (days !== FOREVER) await rule.apply(db, days);
      }
    } catch (err) {
      logger.error({ err, what: rule.what }, "retention failed");
      failures.push(`${rule.what}: ${err instanceof Error ? err.message : String(err)}`);
    }
  if (failures.length > 0) throw new Error(`Retention failed for ${failures.join("; ")}`);
}
