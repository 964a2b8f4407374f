import { settings } from "#drizzle/schema/index.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import { onWake } from "#server/core/shared/wake.ts";
import type { Connection, Db } from "#server/db/client.ts";

import { SETTINGS, type Settings } from "./settings.ts";

const CACHE_TTL_MS = 2_000;

const cache = new PromiseCache<Settings>({ max: 1, ttlMs: CACHE_TTL_MS });

/** The current settings, cached because every API request needs them. */
export const currentSettings = (db: Db): Promise<Settings> =>
  cache.get("settings", () => readSettings(db));

/** Invalidates this process's cache. */
export function invalidateSettings(): void {
  cache.clear();
}

/** The Postgres channel that announces changes of settings. */
export const SETTINGS_CHANNEL = "settings";

/** Calls `onChange` when any process has changed a setting, and whenever a change may have been missed. */
export function followSettings(sql: Connection["sql"], onChange: () => void): Promise<void> {
  return onWake(sql, SETTINGS_CHANNEL, () => {
    invalidateSettings();
    onChange();
  });
}

/** Reads the settings from the database. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.select({ name: settings.name, value: settings.value }).from(settings);
  const changed = new Map(rows.map(({ name, value }) => [name, value]));
  const inForce = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    changed.get(name) ?? setting.default,
  ]);
  // `changeSetting` validated what is in the table.
  return Object.fromEntries(inForce) as Settings;
}
