import { eq, sql } from "drizzle-orm";

import { settings } from "#drizzle/schema/index.ts";
import { type Config, config, type OutboundSource } from "#server/config.ts";
import { searchObstacle } from "#server/core/platform/processes/search-facts.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import type { NumberSetting, TextSetting } from "./mail-settings.ts";
import { invalidateSettings, readSettings, SETTINGS_CHANNEL } from "./read-settings.ts";
import { type SettingName, SETTINGS } from "./settings.ts";

/**
 * Changes a run-time setting. All processes use the new value within two seconds.
 *
 * @param text the value as typed
 * @param home the source addresses of this host
 * @throws Refusal `not_found` for an unknown name, `invalid` for a value out of bounds or that a host can't use
 */
export async function changeSetting(
  db: Db,
  asked: string,
  text: string,
  { outboundSources }: Pick<Config, "outboundSources"> = config(),
): Promise<{ name: SettingName; value: number | string }> {
  const name = requireSettingName(asked);
  const value = readValue(name, text.trim());
  if (name === "outbound_names") requireKnownNames(String(value), outboundSources);
  const obstacle = value === "on" ? await obstacleTo(db, name) : null;
  if (obstacle !== null) throw new Refusal("invalid", `${name} ${obstacle}`);
  await db
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({
      target: settings.name,
      set: { value, updatedAt: sql`clock_timestamp()` },
    });
  await db.execute(sql`select pg_notify(${SETTINGS_CHANNEL}, '')`);
  invalidateSettings();
  return { name, value };
}

/**
 * Like `changeSetting`, with an audit entry.
 *
 * @param ctx of the appliance's own company
 */
export async function changeSettingAudited(
  ctx: Context,
  asked: string,
  text: string,
): Promise<{ name: SettingName; value: number | string }> {
  const name = requireSettingName(asked);
  const changed = await inTransaction(ctx, async (ctx) => {
    // Serialize changes, so that each audit entry has the correct previous value.
    await lock(ctx.db, "settings");
    const { [name]: from } = await readSettings(ctx.db);
    const changed = await changeSetting(ctx.db, name, text);
    const { value: to } = changed;
    if (from !== to)
      await recordAudit(ctx, "setting.changed", {
        setting: name,
        from: maskSetting(name, from),
        to: maskSetting(name, to),
      });
    return changed;
  });
  invalidateSettings();
  return changed;
}

/** @throws Refusal `not_found` listing the valid names */
export function requireSettingName(name: string): SettingName {
  if (isSettingName(name)) return name;
  throw new Refusal(
    "not_found",
    `Unknown setting "${name}". Settings: ${Object.keys(SETTINGS).join(", ")}`,
  );
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Why a setting can't be turned on. */
const obstacleTo = async (db: Db, name: SettingName): Promise<string | null> =>
  name === "full_text_search" ? searchObstacle(db) : null;

/** Only where the addresses are configured: those of other hosts aren't known. */
function requireKnownNames(text: string, sources: Config["outboundSources"]): void {
  const [unknown] = sources.length > 0 ? unknownOutboundNames(text, sources) : [];
  if (unknown === undefined) return;
  const names = sources.map(({ name }) => name).join(", ");
  throw new Refusal(
    "invalid",
    `outbound_names must use names of POSTHOUSE_OUTBOUND_ADDRESSES, which are ${names}, and not ${unknown}`,
  );
}

/** @throws Refusal `invalid` for a value out of bounds */
export function readValue(name: SettingName, text: string): number | string {
  const setting = SETTINGS[name];
  if (setting.kind === "text") {
    if (setting.pattern.test(text)) return text;
    throw new Refusal("invalid", `${name} must be ${setting.expected}`);
  }
  const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
  if (value >= setting.min && value <= setting.max) return value;
  throw new Refusal(
    "invalid",
    `${name} must be a whole number from ${setting.min} to ${setting.max}`,
  );
}

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
  /** Why it can't be turned on here, and what to do. */
  obstacle: string | null;
  /** Null while it has its default. */
  changedAt: string | null;
};

/** Lists all run-time settings with values, defaults and bounds. Secret URLs are masked. */
export async function listSettings(db: Db): Promise<ListedSetting[]> {
  const rows = await db.select().from(settings);
  const changed = new Map(rows.map((row) => [row.name, row]));
  const names = Object.keys(SETTINGS) as SettingName[];
  const obstacles = await Promise.all(names.map((name) => obstacleTo(db, name)));
  return names.map((name, at) => {
    const setting = SETTINGS[name];
    const row = changed.get(name);
    const [min, max] = setting.kind === "number" ? [setting.min, setting.max] : [null, null];
    // `changeSetting` validated what is in the table.
    const value = (row?.value ?? setting.default) as number | string;
    const shown = maskSetting(name, value);
    return {
      name,
      kind: setting.kind,
      default: setting.default,
      meaning: setting.meaning,
      obstacle: obstacles[at] ?? null,
      min,
      max,
      value: shown,
      masked: shown !== value,
      changedAt: row?.updatedAt ?? null,
    };
  });
}

/** The value to show and to record in the audit log: of a secret URL only the server. */
function maskSetting<Value>(name: SettingName, value: Value): Value | string {
  const setting: NumberSetting | TextSetting = SETTINGS[name];
  if (setting.kind === "number" || !setting.isSecretUrl || value === setting.default) return value;
  return `${URL.parse(String(value))?.origin ?? ""}/…`;
}

/** The setting `outbound_names` as pairs of a sending domain or a company's id, and a name. */
export const readOutboundNames = (text: string): [sender: string, name: string][] =>
  text === "none"
    ? []
    : text.split(",").map((pair) => {
        const [sender = "", name = ""] = pair.split("=");
        return [sender, name];
      });

/** Names in the setting that no address has. Their mail is sent from the first address. */
export function unknownOutboundNames(
  text: string,
  sources: Pick<OutboundSource, "name">[],
): string[] {
  const known = new Set(sources.map(({ name }) => name));
  const names = readOutboundNames(text).map(([, name]) => name);
  return [...new Set(names)].filter((name) => !known.has(name));
}
