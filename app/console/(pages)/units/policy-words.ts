import { sizeInWords } from "#app/console/(pages)/mailboxes/mailbox-words.ts";

const MB = 1024 * 1024;

export type PolicyName =
  | "default_quota_mb"
  | "imap_allowed"
  | "pop3_allowed"
  | "submission_allowed"
  | "outside_allowed"
  | "app_passwords_allowed"
  | "password_length_min";

type Value = boolean | number | null;

/** What a policy is called, and what it does. */
export const policyWords: Record<PolicyName, { label: string; help: string }> = {
  imap_allowed: {
    label: "Reading with IMAP",
    help: "Nearly all mail apps and phones read with it.",
  },
  pop3_allowed: {
    label: "Reading with POP3",
    help: "Old apps, which fetch mail and often remove it.",
  },
  submission_allowed: {
    label: "Sending from mail apps",
    help: "Without it, people read mail and send none.",
  },
  outside_allowed: {
    label: "Writing to outside addresses",
    help: "Without it, people write to your company's own domains only.",
  },
  app_passwords_allowed: {
    label: "App passwords",
    help: "People make one for each mail app beside their own password.",
  },
  password_length_min: {
    label: "Shortest password",
    help: "Holds when a password is next changed.",
  },
  default_quota_mb: {
    label: "Size of new mailboxes",
    help: "Where none is asked for. Mailboxes that are there keep theirs.",
  },
};

/** In the order in which they are shown. */
export const POLICY_NAMES = Object.keys(policyWords) as PolicyName[];

/** What a policy says, in words. `usualMb` is the company's size for new mailboxes, where it is known. */
export function policyValue(name: PolicyName, value: Value, usualMb?: number): string {
  if (typeof value === "boolean") return value ? "Allowed" : "Not allowed";
  if (name === "password_length_min") return `${String(value)} characters`;
  if (value !== null) return sizeInWords(value * MB);
  return usualMb === undefined ? "The company's size" : sizeInWords(usualMb * MB);
}

/** Where a policy comes from. */
export function policySource(
  from: { id: number | null; name: string } | null,
  unitId: number | null,
): string {
  if (from === null) return "Default";
  return from.id !== null && from.id === unitId ? "Set here" : `From ${from.name}`;
}
