import { formatBytes, MB } from "#app/console/ui/format.ts";

export type PolicyName =
  | "default_quota_mb"
  | "imap_allowed"
  | "pop3_allowed"
  | "submission_allowed"
  | "outside_allowed"
  | "app_passwords_allowed"
  | "password_length_min";

type Value = boolean | number | null;

export const POLICIES: Record<PolicyName, { label: string; help: string }> = {
  imap_allowed: {
    label: "IMAP access",
    help: "Used by almost all mail apps and phones to read mail.",
  },
  pop3_allowed: {
    label: "POP3 access",
    help: "Used by older apps, which often delete mail from the server after downloading it.",
  },
  submission_allowed: {
    label: "Sending from mail apps",
    help: "If not allowed, mailbox users can read mail but not send it.",
  },
  outside_allowed: {
    label: "Sending outside your company",
    help: "If not allowed, mailbox users can send only to your company’s own domains.",
  },
  app_passwords_allowed: {
    label: "App passwords",
    help: "Mailbox users can create a separate password for each mail app.",
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
export function formatPolicyValue(name: PolicyName, value: Value, defaultQuotaMb?: number): string {
  if (typeof value === "boolean") return value ? "Allowed" : "Not allowed";
  if (name === "password_length_min") return `${String(value)} characters`;
  if (value !== null) return formatBytes(value * MB);
  return defaultQuotaMb === undefined ? "Company default" : formatBytes(defaultQuotaMb * MB);
}

export function policySource(
  from: { id: number | null; name: string } | null,
  unitId: number | null,
): string {
  if (from === null) return "Default";
  return from.id !== null && from.id === unitId ? "Set here" : `Inherited from ${from.name}`;
}
