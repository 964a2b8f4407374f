import type { AnswerOf } from "#app/console/console-client.ts";
import type { Change } from "#app/console/ui/form/form.tsx";
import { formatBytes, formatCount, MB, pluralize } from "#app/console/ui/format.ts";

export type UnitList = AnswerOf<"units.list">;
export type UnitRow = UnitList["data"][number];
export type UnitDetail = AnswerOf<"units.get">;
export type UnitPolicy = UnitDetail["policies"][number];

export const UNIT_SETTINGS = { refetchInterval: 15_000 };

/** Any change can affect policies of other units and the units offered for mailboxes. */
export const CHANGES_UNITS = {
  forgets: ["mailboxes", "mailboxAccess"],
  invalidates: ["units"],
  waits: true,
} as const;

export type PolicyName = UnitPolicy["name"];

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
  calendarAllowed: {
    label: "Calendars and contacts",
    help: "Synchronization with apps over CalDAV and CardDAV, if your server’s operator has turned it on.",
    choices: ALLOWED,
  },
  outsideAllowed: {
    label: "Sending outside your company",
    help: "If not allowed, mailbox users can send only to your company’s own domains.",
    choices: ALLOWED,
  },
  forwarding: {
    label: "Forwarding outside your company",
    help: "By default, an address gets forwarded mail only after its owner has confirmed it. Mailboxes that can’t send outside your company can’t forward there either.",
    choices: [
      { value: "allowed", label: "Allowed" },
      { value: "confirmed", label: "After confirmation" },
      { value: "forbidden", label: "Not allowed" },
    ],
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
  fullTextSearch: {
    label: "Full-text search",
    help: "Makes searches in mail apps fast, if your server’s operator has turned it on. Searches then match only the start of words: “key” finds “keyboard”, “board” doesn’t. Several words match in any order.",
    choices: [
      { value: "on", label: "On" },
      { value: "off", label: "Off" },
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

type Reach = Pick<UnitPolicy, "name" | "value" | "own" | "above" | "appliesTo" | "usedThisWeek">;

/** What each policy allows, in a sentence. */
const THINGS: Partial<Record<PolicyName, string>> = {
  imapAllowed: "IMAP",
  pop3Allowed: "POP3",
  submissionAllowed: "sending from mail apps",
  calendarAllowed: "calendars and contacts",
  outsideAllowed: "sending outside your company",
  appPasswordsAllowed: "app passwords",
};

/**
 * What saving the chosen values would do, one sentence for each policy that differs from its own value.
 *
 * @param chosen by policy; null to inherit
 * @param companyQuotaMb the company's default size of new mailboxes
 */
export function policyChanges(
  policies: Reach[],
  chosen: Partial<Record<PolicyName, PolicyValue>>,
  companyQuotaMb: number,
): Change[] {
  return policies.flatMap((policy) => {
    const value = chosen[policy.name];
    if (value === undefined || value === policy.own) return [];
    return [{ name: policy.name, text: describe(policy, value, companyQuotaMb) }];
  });
}

function describe(policy: Reach, value: PolicyValue, companyQuotaMb: number): string {
  const { name, appliesTo: count, usedThisWeek: used } = policy;
  const result = value ?? policy.above.value;
  const mailboxes = pluralize(count, "mailbox", "mailboxes");
  const shown = formatPolicyValue(name, result, companyQuotaMb);
  // Not a number; the server says so.
  if (result === 0) return `Change ${POLICIES[name].label.toLowerCase()}`;
  if (result === policy.value)
    return `${POLICIES[name].label} stays the same for ${mailboxes} (${shown.toLowerCase()})`;
  if (name === "defaultQuotaMb") return `Give new mailboxes ${shown}`;
  if (name === "passwordLengthMin") return `Require passwords of ${shown} for ${mailboxes}`;
  if (typeof result !== "boolean")
    return `Set ${POLICIES[name].label.toLowerCase()} to ${shown.toLowerCase()} for ${mailboxes}`;
  const act = `${result ? "Allow" : "Block"} ${THINGS[name]} for ${mailboxes}`;
  return result || used === null ? act : `${act}, ${describeUse(used, count)}`;
}

function describeUse(used: number, count: number): string {
  if (used === 0) return "none used it this week";
  return `${used === count && count > 1 ? "all" : formatCount(used)} used it this week`;
}
