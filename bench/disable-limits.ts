import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import type { SettingName } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";

const LIMITS: Partial<Record<SettingName, string>> = {
  request_rate_per_second: "10000",
  requests_in_progress: "10000",
  hourly_recipients_company: "100000000",
  hourly_recipients_platform: "100000000",
};

/** Raises every limit that could affect a measurement. */
export async function disableLimits(db: Db): Promise<void> {
  for (const [name, value] of Object.entries(LIMITS)) await changeSetting(db, name, value);
}
