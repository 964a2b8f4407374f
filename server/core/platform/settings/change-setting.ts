import { eq, sql } from "drizzle-orm";

import { settings } from "#drizzle/schema/index.ts";
import { type Config, config, type OutboundSource } from "#server/config.ts";
import { searchObstacle } from "#server/core/platform/processes/search-facts.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import { invalidateSettings, readSettings, SETTINGS_CHANNEL } from "./read-settings.ts";
import type { Setting } from "./setting-kinds.ts";
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
): Promise<void> {
  const name = requireSettingName(asked);
  const value = readValue(name, text);
  if (name === "outbound_names") requireKnownNames(String(value), outboundSources);
  const obstacle = value === "on" ? await obstacleTo(db, name) : null;
  if (obstacle !== null) throw wrongValue(name, obstacle);
  if (value === SETTINGS[name].default) await db.delete(settings).where(eq(settings.name, name));
  else
    await db
      .insert(settings)
      .values({ name, value })
      .onConflictDoUpdate({
        target: settings.name,
        set: { value, updatedAt: sql`clock_timestamp()` },
      });
  await db.execute(sql`select pg_notify(${SETTINGS_CHANNEL}, '')`);
  invalidateSettings();
}

/**
 * Changes several settings, or none if one is invalid, with an audit entry for each.
 *
 * @param ctx of the appliance's own company
 * @param texts the values as typed, by name
 * @throws Refusal as `changeSetting` does, with all invalid fields
 */
export async function changeSettings(ctx: Context, texts: Record<string, string>): Promise<void> {
  const values = readSettingValues(texts);
  await inTransaction(ctx, async (ctx) => {
    // Serialize changes, so that each audit entry has the correct previous value.
    await lock(ctx.db, "settings");
    const before = await readSettings(ctx.db);
    for (const [name, to] of values) {
      const from = before[name];
      if (from === to) continue;
      await changeSetting(ctx.db, name, String(to));
      await recordAudit(ctx, "setting.changed", {
        setting: name,
        from: maskSetting(name, from),
        to: maskSetting(name, to),
      });
    }
  });
  invalidateSettings();
}

/** @throws Refusal with all invalid fields */
export const readSettingValues = (
  texts: Record<string, string>,
): [name: SettingName, value: number | string][] =>
  readEach(Object.entries(texts), ([asked, text]) => {
    const name = requireSettingName(asked);
    return [name, readValue(name, text)];
  });

/** @throws Refusal `not_found` listing the valid names */
function requireSettingName(name: string): SettingName {
  if (isSettingName(name)) return name;
  throw new Refusal(
    "not_found",
    `Unknown setting "${name}". Settings: ${Object.keys(SETTINGS).join(", ")}`,
  );
}

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** Why a setting can't be turned on. */
const obstacleTo = async (db: Db, name: SettingName): Promise<string | null> =>
  name === "full_text_search" ? searchObstacle(db) : null;

const wrongValue = (name: SettingName, problem: string): Refusal =>
  new Refusal("invalid", `${name} ${problem}`, {
    fields: [{ path: `values.${name}`, code: "invalid", message: problem }],
  });

/** Checks names only where the addresses are configured: those of other hosts aren't known. */
function requireKnownNames(text: string, sources: Config["outboundSources"]): void {
  const [unknown] = sources.length > 0 ? unknownOutboundNames(text, sources) : [];
  if (unknown === undefined) return;
  const names = sources.map(({ name }) => name).join(", ");
  throw wrongValue(
    "outbound_names",
    `must use names from POSTHOUSE_OUTBOUND_ADDRESSES (${names}), not ${unknown}`,
  );
}

/** @throws Refusal `invalid` for a value out of bounds */
function readValue(name: SettingName, typed: string): number | string {
  const setting: Setting = SETTINGS[name];
  const text = typed.trim();
  if (setting.kind === "number") {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    if (value >= setting.min && value <= setting.max) return value;
    throw wrongValue(name, `must be a whole number from ${setting.min} to ${setting.max}`);
  }
  const isValid =
    setting.kind === "text" ? setting.pattern.test(text) : Object.hasOwn(setting.names, text);
  if (isValid) return text;
  const expected =
    setting.kind === "text" ? setting.expected : Object.keys(setting.names).join(" or ");
  throw wrongValue(name, `must be ${expected}`);
}

export type ListedSetting = Pick<Setting, "group" | "kind" | "label" | "default"> & {
  name: SettingName;
  /** For a secret URL, only its server. */
  value: number | string;
  unit: string | null;
  help: string | null;
  /** Values that have a name. */
  names: Readonly<Record<string, string>>;
  min: number | null;
  max: number | null;
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
    const setting: Setting = SETTINGS[name];
    const row = changed.get(name);
    const [min, max] = setting.kind === "number" ? [setting.min, setting.max] : [null, null];
    return {
      name,
      group: setting.group,
      kind: setting.kind,
      label: setting.label,
      default: setting.default,
      // `changeSetting` validated what is in the table.
      value: maskSetting(name, (row?.value ?? setting.default) as number | string),
      unit: setting.unit ?? null,
      help: setting.help ?? null,
      names: setting.names ?? {},
      min,
      max,
      obstacle: obstacles[at] ?? null,
      changedAt: row?.updatedAt ?? null,
    };
  });
}

/** The value to show and to record in the audit log: of a secret URL only the server. */
function maskSetting<Value>(name: SettingName, value: Value): Value | string {
  const setting: Setting = SETTINGS[name];
  if (setting.kind !== "text" || !setting.isSecretUrl || value === setting.default) return value;
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
