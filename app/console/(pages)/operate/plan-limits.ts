import { inFull } from "#app/console/ui/charts/numbers.ts";

/** What a company or a plan allows; null for any number. */
export type PlanLimits = {
  monthly_allowance: number | null;
  domains_max: number | null;
  mailboxes_max: number | null;
  quota_mb_max: number | null;
  default_quota_mb: number;
};

export const NO_LIMITS: PlanLimits = {
  ...{ monthly_allowance: null, domains_max: null, mailboxes_max: null, quota_mb_max: null },
  default_quota_mb: 5_120,
};

export const LIMIT_FIELDS = [
  {
    name: "monthly_allowance",
    label: "Recipients a month",
    help: "Of emails sent through the API, in a calendar month (UTC). Empty: any number.",
  },
  { name: "domains_max", label: "Domains", help: "Empty: any number." },
  { name: "mailboxes_max", label: "Mailboxes", help: "Empty: any number." },
  {
    name: "quota_mb_max",
    label: "Largest mailbox in MB",
    help: "A larger one that is asked for gets this size. Empty: 51,200 MB.",
  },
  {
    name: "default_quota_mb",
    label: "Size of a new mailbox in MB",
    help: "Where neither the call nor its unit says another.",
  },
] as const satisfies { name: keyof PlanLimits; label: string; help: string }[];

/** What was typed: null for nothing; what is no whole number is refused by the server. */
export function parseLimit(text: string): number | null {
  const digits = text.replace(/[\s,']/g, "");
  if (digits === "") return null;
  return /^\d+$/.test(digits) ? Number(digits) : -1;
}

/** "1,000", "any number" */
export const formatLimit = (limit: number | null): string =>
  limit === null ? "any number" : inFull(limit);

/** "512 MB", "5 GB" */
export function formatMegabytes(mb: number): string {
  return mb >= 1_024 && mb % 512 === 0 ? `${mb / 1_024} GB` : `${inFull(mb)} MB`;
}

/** "120 of 1,000" */
export const formatUsage = (used: number, limit: number | null): string =>
  limit === null ? inFull(used) : `${inFull(used)} of ${inFull(limit)}`;

/** "1 company", "3 companies" */
export const formatCompanies = (count: number): string =>
  `${inFull(count)} ${count === 1 ? "company" : "companies"}`;

/** "1 recipient", "3 recipients" */
export const pluralize = (count: number, thing: string): string =>
  `${inFull(count)} ${thing}${count === 1 ? "" : "s"}`;
