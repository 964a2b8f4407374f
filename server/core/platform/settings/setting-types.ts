/** A limit that an operator can change at run time. */
export type NumberSetting = {
  kind: "number";
  default: number;
  min: number;
  max: number;
  meaning: string;
};
/**
 * @property expected completes "must be", for the error about any other value
 * @property isSecretUrl whether the path contains a secret, which isn't shown (`maskSetting`)
 */
export type TextSetting = {
  kind: "text";
  default: string;
  pattern: RegExp;
  expected: string;
  meaning: string;
  isSecretUrl?: true;
};

/** A setting that is on unless an operator turns it off. */
export const onOff = (meaning: string) => ({
  ...({ kind: "text", default: "on", expected: "on or off" } as const),
  pattern: /^(on|off)$/,
  meaning,
});
