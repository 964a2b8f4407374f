import { settings } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { SETTINGS, type Settings } from "./settings.ts";

/** Cache TTL. */
const CACHE_TTL_MS = 2_000;

let kept: { settings: Promise<Settings>; readAt: number } | undefined;

/** The current settings, cached because every API request needs them. */
export function currentSettings(db: Db): Promise<Settings> {
  const now = performance.now();
  if (kept && now - kept.readAt < CACHE_TTL_MS) return kept.settings;
  const reading = { settings: readSettings(db), readAt: now };
  kept = reading;
  reading.settings.catch(() => {
    if (kept === reading) kept = undefined;
  });
  return reading.settings;
}

/** Invalidates this process's cache. */
export function invalidateSettings(): void {
  kept = undefined;
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
