import { formatBytes, MB } from "#app/console/ui/format.ts";

export type PolicyName =
  | "default_quota_mb"
  | "imap_allowed"
  | "pop3_allowed"
  | "submission_allowed"
  | "outside_allowed"
  | "app_passwords_allowed"
  | "password_length_min"
  | "quarantine_digest"
  | "quarantine_release";

export type PolicyValue = boolean | number | string | null;

export type PolicyChoice = { value: boolean | string; label: string };

const ALLOWED: PolicyChoice[] = [
  { value: true, label: "Allowed" },
  { value: false, label: "Not allowed" },
];

/** Policies without choices are numbers. */
export const POLICIES: Record<
  PolicyName,
  { label: string; help: string; choices?: PolicyChoice[] }
> = {
  imap_allowed: {
    label: "IMAP access",
    help: "Used by almost all mail apps and phones to read mail.",
    choices: ALLOWED,
  },
  pop3_allowed: {
    label: "POP3 access",
    help: "Used by older apps, which often delete mail from the server after downloading it.",
    choices: ALLOWED,
  },
  submission_allowed: {
    label: "Sending from mail apps",
    help: "If not allowed, mailbox users can read mail but not send it.",
    choices: ALLOWED,
  },
  outside_allowed: {
    label: "Sending outside your company",
    help: "If not allowed, mailbox users can send only to your company’s own domains.",
    choices: ALLOWED,
  },
  app_passwords_allowed: {
    label: "App passwords",
    help: "Mailbox users can create a separate password for each mail app. If not allowed, mail apps use the mailbox password, and a second factor doesn’t protect them.",
    choices: ALLOWED,
  },
  quarantine_digest: {
    label: "Quarantine digest",
    help: "A daily email to mailbox users that lists their messages in quarantine and on hold.",
    choices: [
      { value: "off", label: "Off" },
      { value: "daily", label: "Daily" },
    ],
  },
  quarantine_release: {
    label: "Release from quarantine",
    help: "What mailbox users can release themselves. Viruses always need an admin.",
    choices: [
      { value: "none", label: "Nothing" },
      { value: "spam", label: "Spam" },
    ],
  },
  password_length_min: {
    label: "Minimum password length",
    help: "Applies when a password is next changed.",
  },
  default_quota_mb: {
    label: "Storage limit of new mailboxes",
    help: "Used when no limit is given. Existing mailboxes keep theirs.",
  },
};

/** In display order. */
export const POLICY_NAMES = Object.keys(POLICIES) as PolicyName[];

/** @param defaultQuotaMb the company's default size of new mailboxes, where known */
export function formatPolicyValue(
  name: PolicyName,
  value: PolicyValue,
  defaultQuotaMb?: number,
): string {
  const choice = POLICIES[name].choices?.find((one) => one.value === value);
  if (choice) return choice.label;
  if (name === "password_length_min") return `${String(value)} characters`;
  if (value !== null) return formatBytes(Number(value) * MB);
  return defaultQuotaMb === undefined ? "Company default" : formatBytes(defaultQuotaMb * MB);
}

export function policySource(
  from: { id: number | null; name: string } | null,
  unitId: number | null,
): string {
  if (from === null) return "Default";
  return from.id !== null && from.id === unitId ? "Set here" : `Inherited from ${from.name}`;
}
