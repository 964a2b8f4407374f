/** A figure that an operator may change at run time. */
type NumberSetting = { kind: "number"; default: number; min: number; max: number; meaning: string };
type TextSetting = { kind: "text"; default: string; pattern: RegExp; meaning: string };

/** Every run-time setting. What is not changed has its default, which is the API's documented figure. */
export const SETTINGS = {
  request_rate_per_second: {
    kind: "number",
    default: 10,
    min: 1,
    max: 10_000,
    meaning: "API requests per second and company",
  },
  requests_in_progress: {
    kind: "number",
    default: 25,
    min: 1,
    max: 10_000,
    meaning: "API requests of one company at the same time",
  },
  hourly_recipients_company: {
    kind: "number",
    default: 450,
    min: 1,
    max: 100_000_000,
    meaning: "recipients per company in any 60 minutes",
  },
  hourly_recipients_platform: {
    kind: "number",
    default: 1_800,
    min: 1,
    max: 100_000_000,
    meaning: "recipients of all companies in any 60 minutes",
  },
  scheduled_backlog: {
    kind: "number",
    default: 20_000,
    min: 0,
    max: 100_000_000,
    meaning: "recipients of a company that may wait in scheduled emails",
  },
  test_events_waiting: {
    kind: "number",
    default: 5,
    min: 1,
    max: 1_000,
    meaning: "test events of a webhook that may wait for delivery",
  },
  region: {
    kind: "text",
    default: "eu-central",
    pattern: /^[a-z0-9][a-z0-9-]{0,62}$/,
    meaning: "region shown for every domain",
  },
} as const satisfies Record<string, NumberSetting | TextSetting>;

export type SettingName = keyof typeof SETTINGS;

export type Settings = {
  [Name in SettingName]: (typeof SETTINGS)[Name]["kind"] extends "number" ? number : string;
};
