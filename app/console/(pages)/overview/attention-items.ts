import { rateOf, rates } from "#app/console/(pages)/metrics/metric-labels.ts";
import type { Counts } from "#app/console/(pages)/metrics/queries.ts";
import {
  formatCount,
  formatDuration,
  formatRate,
  formatRateTick,
  pluralize,
} from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { judgeSenderRate, SENDER_RATE_DAYS, SENDER_RATES } from "#server/universal/sender-rates.ts";

import type { OverviewAnswer, OverviewProblem } from "./queries.ts";

/** What a row says about like problems. */
export type AttentionItem = {
  tone: Extract<StatusTone, "failed" | "waiting">;
  label: string;
  text: string;
  /** Opens exactly what the text counts; absent if the row lists it. */
  href?: string;
  /** The privilege that opens the link, if seeing the problem doesn't require it. */
  needs?: Privilege;
  /** The objects, if there are several without a list that shows only them. */
  parts: AttentionPart[];
};

export type AttentionPart = { id: string; name: string; detail: string; href: string };

type Facts = Pick<OverviewAnswer, "month" | "queue">;
type Describe = (problem: OverviewProblem, facts: Facts) => Omit<AttentionItem, "parts">;

const DESCRIPTIONS: Record<OverviewProblem["kind"], Describe> = {
  mailboxes_full: ({ count, mailboxes }) => ({
    tone: "failed",
    label: "Full",
    href: mailboxesHref("full", count, mailboxes),
    text:
      count === 1
        ? `${mailboxes[0]!.address} is full, so its new mail is deferred`
        : `${formatCount(count)} mailboxes are full, so their new mail is deferred`,
  }),
  mailboxes_nearly_full: ({ count, mailboxes }) => ({
    tone: "waiting",
    label: "Nearly full",
    href: mailboxesHref("nearly_full", count, mailboxes),
    text:
      count === 1
        ? `${mailboxes[0]!.address} is ${shareOf(mailboxes[0]!)}% full`
        : `${formatCount(count)} mailboxes are nearly full`,
  }),
  mailboxes_on_hold: ({ count }) => ({
    tone: "failed",
    label: "On hold",
    href: "/console/on-hold",
    text: `Mail from ${pluralize(count, "mailbox", "mailboxes")} is on hold: ${count === 1 ? "its password" : "their passwords"} may be compromised`,
  }),
  domains_unverified: ({ count, domains }) => ({
    tone: "waiting",
    label: "Not verified",
    ...partsHref(domains, domainHref),
    text:
      count === 1
        ? `${domains[0]!.name} can’t send yet`
        : `${formatCount(count)} domains can’t send yet`,
  }),
  records_missing: ({ count, domains }) => ({
    tone: "waiting",
    label: "Record missing",
    ...partsHref(domains, domainHref),
    text:
      count === 1
        ? `${domains[0]!.name} is missing its ${missingRecords(domains[0]!)}`
        : `${formatCount(count)} domains are missing DNS records`,
  }),
  webhooks_disabled: ({ count, webhooks }) => ({
    tone: "failed",
    label: "Disabled",
    ...partsHref(webhooks, webhookHref),
    text:
      count === 1
        ? `The webhook at ${hostOf(webhooks[0]!)} was disabled after too many failures`
        : `${formatCount(count)} webhooks were disabled after too many failures`,
  }),
  webhooks_failing: ({ count, webhooks }) => ({
    tone: "waiting",
    label: "Failing",
    ...partsHref(webhooks, webhookHref),
    text:
      count === 1
        ? `The webhook at ${hostOf(webhooks[0]!)} ${failureCount(webhooks[0]!)}`
        : `${formatCount(count)} webhooks are failing`,
  }),
  queue_delayed: (_, { queue }) => ({
    tone: "waiting",
    label: "Delayed",
    href: "/console/emails?status=delivery_delayed",
    text: `The oldest email has been queued for ${formatDuration(queue?.oldestSeconds ?? 0)}`,
  }),
  month_used: (_, { month }) => quotaItem(month, { tone: "failed", label: "Limit reached" }),
  month_nearly_used: (_, { month }) => quotaItem(month, { tone: "waiting", label: "Near limit" }),
};

export const attentionItem = (problem: OverviewProblem, facts: Facts): AttentionItem => ({
  ...DESCRIPTIONS[problem.kind](problem, facts),
  parts: partsOf(problem),
});

/** Bounce and complaint rates that mailbox providers don't accept. */
export function rateAlarms(totals: Counts): AttentionItem[] {
  return (["bounce", "complaint"] as const).flatMap((name) => {
    const { numerator, denominator } = rates[name];
    const [events, emails] = [numerator(totals), denominator(totals)];
    const judgement = judgeSenderRate(name, events, emails);
    if (judgement !== "high" && judgement !== "critical") return [];
    const what = name === "bounce" ? "emails bounced" : "delivered emails got a spam complaint";
    const share = formatRate(rateOf(name, totals) ?? 0);
    return [
      {
        tone: judgement === "critical" ? "failed" : "waiting",
        label: name === "bounce" ? "Bounces" : "Complaints",
        text: `${share} of ${what} in the last ${SENDER_RATE_DAYS} days. Above ${formatRateTick(SENDER_RATES[name].high)}, mailbox providers send mail to spam or reject it`,
        href: `/console/metrics?period=${SENDER_RATE_DAYS}d`,
        parts: [],
      },
    ];
  });
}

function partsOf({ count, domains, webhooks }: OverviewProblem): AttentionPart[] {
  if (count === 1) return [];
  return [
    ...domains.map((domain) => ({
      id: domain.id,
      name: domain.name,
      href: domainHref(domain),
      detail: domain.status === "verified" ? `missing its ${missingRecords(domain)}` : "",
    })),
    ...webhooks.map((webhook) => ({
      id: webhook.id,
      name: hostOf(webhook),
      href: webhookHref(webhook),
      detail: failureCount(webhook),
    })),
  ];
}

const quotaItem = (
  month: Facts["month"],
  { tone, label }: Pick<AttentionItem, "tone" | "label">,
): Omit<AttentionItem, "parts"> => {
  const { used, allowed } = month ?? { used: 0, allowed: 0 };
  const share = allowed ? Math.floor((used / allowed) * 100) : 100;
  return {
    tone,
    label,
    href: "/console/settings?tab=usage",
    needs: "manage_settings",
    text: `Your company has used ${share}% of its recipients this month`,
  };
};

type Domain = OverviewProblem["domains"][number];
type Webhook = OverviewProblem["webhooks"][number];
type Mailbox = OverviewProblem["mailboxes"][number];

const domainHref = ({ id }: Domain) => `/console/domains/${id}`;
const webhookHref = ({ id }: Webhook) => `/console/webhooks/${id}`;
const mailboxesHref = (status: string, count: number, [first]: Mailbox[]) =>
  count === 1
    ? `/console/mailboxes/${encodeURIComponent(first!.address)}`
    : `/console/mailboxes?status=${status}`;

/** A link to the only object. */
const partsHref = <Item>(items: Item[], hrefOf: (item: Item) => string) =>
  items.length === 1 ? { href: hrefOf(items[0]!) } : {};

const hostOf = ({ endpoint }: Webhook) => new URL(endpoint).host;
const shareOf = ({ usedBytes: used, quotaBytes: quota }: Mailbox) =>
  Math.floor((used / quota) * 100);

const failureCount = ({ failures }: Webhook) =>
  failures === 1 ? "failed once" : `failed ${formatCount(failures)} times in a row`;

function missingRecords({ missing }: Domain): string {
  const records = missing
    .map((record) => (record === "ownership" ? record : RECORD_KINDS[record].label))
    .join(", ");
  return `${records} ${missing.length === 1 ? "record" : "records"}`;
}
