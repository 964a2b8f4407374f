import { settings } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { SETTINGS, type Settings } from "./settings.ts";

/** How long a process may go on with settings that another process has changed. */
const FRESH_MS = 2_000;

let kept: { settings: Promise<Settings>; readAt: number } | undefined;

/** The settings in force, at most two seconds old: every API request asks for them. */
export function currentSettings(db: Db): Promise<Settings> {
  const now = performance.now();
  if (kept && now - kept.readAt < FRESH_MS) return kept.settings;
  const reading = { settings: readSettings(db), readAt: now };
  kept = reading;
  reading.settings.catch(() => {
    if (kept === reading) kept = undefined;
  });
  return reading.settings;
}

/** Makes the next `currentSettings` of this process read again. */
export function forgetSettings(): void {
  kept = undefined;
}

/** The settings in force at this moment. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.select({ name: settings.name, value: settings.value }).from(settings);
  const changed = new Map(rows.map(({ name, value }) => [name, value]));
  const inForce = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    changed.get(name) ?? setting.default,
  ]);
  // The table holds what `changeSetting` has checked.
  return Object.fromEntries(inForce) as Settings;
}
