import { TextInput, type TextInputProps } from "@mantine/core";

import { formatCount, pluralize } from "#app/console/ui/format.ts";

/** The limits of a plan or company; null for unlimited. */
export type PlanLimits = {
  monthlyAllowance: number | null;
  domainsMax: number | null;
  mailboxesMax: number | null;
  quotaMbMax: number | null;
  defaultQuotaMb: number;
};

export const NO_LIMITS: PlanLimits = {
  monthlyAllowance: null,
  domainsMax: null,
  mailboxesMax: null,
  quotaMbMax: null,
  defaultQuotaMb: 5_120,
};

export const LIMIT_FIELDS = [
  {
    name: "monthlyAllowance",
    label: "Recipients per month",
    help: "Recipients of emails sent through the API per calendar month (UTC). Leave empty for unlimited.",
  },
  { name: "domainsMax", label: "Domains", help: "Leave empty for unlimited." },
  { name: "mailboxesMax", label: "Mailboxes", help: "Leave empty for unlimited." },
  {
    name: "quotaMbMax",
    label: "Maximum storage limit in MB",
    help: "The most a mailbox can get. Requests for more get this limit. Leave empty for 51,200 MB.",
  },
  {
    name: "defaultQuotaMb",
    label: "Default storage limit in MB",
    help: "For new mailboxes, unless the request or their unit sets another limit.",
  },
] as const satisfies { name: keyof PlanLimits; label: string; help: string }[];

/** The limits as typed. */
export type LimitTexts = Record<keyof PlanLimits, string>;

export const LIMIT_LABELS = Object.fromEntries(
  LIMIT_FIELDS.map(({ name, label }) => [name, label]),
) as LimitTexts;

const mapLimits = <Result,>(toResult: (name: keyof PlanLimits) => Result) =>
  Object.fromEntries(LIMIT_FIELDS.map(({ name }) => [name, toResult(name)]));

export const limitTexts = (limits: PlanLimits) =>
  mapLimits((name) => String(limits[name] ?? "")) as LimitTexts;

export const parseLimits = (texts: LimitTexts): PlanLimits => ({
  ...(mapLimits((name) => parseLimit(texts[name])) as PlanLimits),
  // -1 makes the server reject an empty field: every mailbox has a storage limit.
  defaultQuotaMb: parseLimit(texts.defaultQuotaMb) ?? -1,
});

/** Null for an empty field. Returns -1, which the server rejects, for anything but a whole number. */
function parseLimit(text: string): number | null {
  const digits = text.replace(/[\s,']/g, "");
  if (digits === "") return null;
  return /^\d+$/.test(digits) ? Number(digits) : -1;
}

/** "1,000", "unlimited" */
export const formatLimit = (limit: number | null): string =>
  limit === null ? "unlimited" : formatCount(limit);

/** "120 of 1,000" */
export const formatUsage = (used: number, limit: number | null): string =>
  limit === null ? formatCount(used) : `${formatCount(used)} of ${formatCount(limit)}`;

/** "1 recipient", "1 of 1,000 recipients" */
export const formatRecipients = (used: number, limit: number | null): string =>
  limit === null
    ? pluralize(used, "recipient")
    : `${formatCount(used)} of ${pluralize(limit, "recipient")}`;

/** "1 domain", "unlimited domains" */
export const formatLimitOf = (limit: number | null, noun: string, plural = `${noun}s`): string =>
  limit === null ? `unlimited ${plural}` : pluralize(limit, noun, plural);

/** "1 company", "3 companies" */
export const formatCompanies = (count: number): string => pluralize(count, "company", "companies");

/** One field for each limit of a plan or company. */
export function LimitFields({ field }: { field: (name: keyof LimitTexts) => TextInputProps }) {
  return LIMIT_FIELDS.map(({ name, help }) => (
    <TextInput
      key={name}
      {...field(name)}
      description={help}
      inputMode="numeric"
      autoComplete="off"
      maw={360}
    />
  ));
}
