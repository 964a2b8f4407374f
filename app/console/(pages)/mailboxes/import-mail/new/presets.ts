import type { ImportServer } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";

type Preset = {
  label: string;
  /** Where to find the password. */
  help: string;
  source: Partial<ImportServer>;
};

/** What to fill in for known mail servers. */
export const PRESETS = {
  gmail: {
    label: "Gmail or Google Workspace",
    help: "Use an app password: Google Account, Security, 2-Step Verification, App passwords.",
    source: { host: "imap.gmail.com", port: 993, security: "tls", secretKind: "password" },
  },
  microsoft: {
    label: "Microsoft 365",
    help: "Use an OAuth access token with the scope IMAP.AccessAsUser.All. It expires after about an hour.",
    source: { host: "outlook.office365.com", port: 993, security: "tls", secretKind: "oauth" },
  },
  standard: {
    label: "mailcow, Dovecot, cPanel",
    help: "Use the address and password of the old mailbox, as in a mail app.",
    source: { host: "", port: 993, security: "tls", secretKind: "password" },
  },
  posthouse: {
    label: "Another Posthouse",
    help: "Use the mailbox’s address and password, or an app password.",
    source: { host: "", port: 993, security: "tls", secretKind: "password" },
  },
  other: {
    label: "Another IMAP server",
    help: "Use the same settings as in a mail app.",
    source: {},
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
