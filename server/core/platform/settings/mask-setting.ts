import type { NumberSetting, TextSetting } from "./setting-types.ts";
import { type SettingName, SETTINGS } from "./settings.ts";

/** The value to show and to record in the audit log: of a secret URL only the server. */
export function maskSetting<Value>(name: SettingName, value: Value): Value | string {
  const setting: NumberSetting | TextSetting = SETTINGS[name];
  if (setting.kind === "number" || !setting.isSecretUrl || value === setting.default) return value;
  return `${URL.parse(String(value))?.origin ?? ""}/…`;
}
