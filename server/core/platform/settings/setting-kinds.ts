/**
 * @property label in the console, in sentence case
 * @property unit what the number counts, to follow it: "per second"
 * @property help sentences for the console
 * @property names values that have a name, such as `{ 0: "Forever" }`
 */
type SettingTexts = {
  label: string;
  unit?: string;
  help?: string;
  names?: Readonly<Record<string, string>>;
};

/** A limit that an operator can change at run time. */
export type NumberSetting = SettingTexts & {
  kind: "number";
  default: number;
  min: number;
  max: number;
};

/**
 * @property expected completes "must be", for the error about any other value
 * @property isSecretUrl whether the path contains a secret, which isn't shown (`maskSetting`)
 */
export type TextSetting = SettingTexts & {
  kind: "text";
  default: string;
  pattern: RegExp;
  expected: string;
  isSecretUrl?: true;
};

/** One of the values in `names`. */
export type ChoiceSetting = SettingTexts & {
  kind: "choice";
  default: string;
  names: Readonly<Record<string, string>>;
};

export type Setting = (NumberSetting | TextSetting | ChoiceSetting) & { group: string };

export const number = (setting: Omit<NumberSetting, "kind">): NumberSetting => ({
  ...setting,
  kind: "number",
});

export const text = (setting: Omit<TextSetting, "kind">): TextSetting => ({
  ...setting,
  kind: "text",
});

export const choice = (setting: Omit<ChoiceSetting, "kind">): ChoiceSetting => ({
  ...setting,
  kind: "choice",
});

export const onOff = (setting: Omit<ChoiceSetting, "kind" | "names">) =>
  choice({ ...setting, names: { on: "On", off: "Off" } });

/** The unit of settings that are an hour of the day. */
export const HOUR_UTC = "hour in UTC";

/** Domain names separated by commas. */
export const domainList = (setting: SettingTexts) =>
  text({
    ...setting,
    default: "none",
    expected: "none, or lowercase domain names separated by commas",
    pattern: /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    names: { none: "None" },
  });

/** Gives settings a heading in the console and in the documentation. */
export function inGroup<Settings extends Record<string, Omit<Setting, "group">>>(
  group: string,
  settings: Settings,
) {
  const entries = Object.entries(settings).map(([name, setting]) => [name, { ...setting, group }]);
  return Object.fromEntries(entries) as {
    [Name in keyof Settings]: Settings[Name] & { group: string };
  };
}
