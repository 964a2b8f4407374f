import { settings } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { maskSetting } from "./mask-setting.ts";
import { type SettingName, SETTINGS } from "./settings.ts";

export type ListedSetting = {
  name: SettingName;
  kind: "number" | "text";
  /** For a secret URL, only its server. */
  value: number | string;
  /** Whether `value` is only a part of the value. */
  masked: boolean;
  default: number | string;
  min: number | null;
  max: number | null;
  meaning: string;
  /** Null while it has its default. */
  changedAt: string | null;
};

/** Lists all run-time settings with values, defaults and bounds. Secret URLs are masked. */
export async function listSettings(db: Db): Promise<ListedSetting[]> {
  const rows = await db.select().from(settings);
  const changed = new Map(rows.map((row) => [row.name, row]));
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const setting = SETTINGS[name];
    const row = changed.get(name);
    const [min, max] = setting.kind === "number" ? [setting.min, setting.max] : [null, null];
    // `changeSetting` validated what is in the table.
    const value = (row?.value ?? setting.default) as number | string;
    const shown = maskSetting(name, value);
    return {
      ...{ name, kind: setting.kind, default: setting.default, meaning: setting.meaning, min, max },
      ...{ value: shown, masked: shown !== value },
      changedAt: row?.updatedAt ?? null,
    };
  });
}
