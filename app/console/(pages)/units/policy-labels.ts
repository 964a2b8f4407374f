import type { AnswerOf } from "#app/console/console-client.ts";
import { formatBytes, MB } from "#app/console/ui/format.ts";

export type PolicyName = AnswerOf<"units.get">["policies"][number]["name"];

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
  imapAllowed: {
    label: "IMAP access",
    help: "Used by almost all mail apps and phones to read mail.",
    choices: ALLOWED,
  },
  pop3Allowed: {
    label: "POP3 access",
    help: "Used by older apps, which often delete mail from the server after downloading it.",
    choices: ALLOWED,
  },
  submissionAllowed: {
    label: "Sending from mail apps",
    help: "If not allowed, mailbox users can read mail but not send it.",
    choices: ALLOWED,
  },
  outsideAllowed: {
    label: "Sending outside your company",
    help: "If not allowed, mailbox users can send only to your company’s own domains.",
    choices: ALLOWED,
  },
  appPasswordsAllowed: {
    label: "App passwords",
    help: "Mailbox users can create a separate password for each mail app. If not allowed, mail apps use the mailbox password, and a second factor doesn’t protect them.",
    choices: ALLOWED,
  },
  quarantineDigest: {
    label: "Quarantine digest",
    help: "A daily email to mailbox users that lists their messages in quarantine and on hold.",
    choices: [
      { value: "off", label: "Off" },
      { value: "daily", label: "Daily" },
    ],
  },
  quarantineRelease: {
    label: "Release from quarantine",
    help: "What mailbox users can release themselves. Viruses always need an admin.",
    choices: [
      { value: "none", label: "Nothing" },
      { value: "spam", label: "Spam" },
    ],
  },
  passwordLengthMin: {
    label: "Minimum password length",
    help: "Applies when a password is next changed.",
  },
  defaultQuotaMb: {
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
  if (name === "passwordLengthMin") return `${String(value)} characters`;
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
