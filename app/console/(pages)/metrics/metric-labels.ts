import type { Series } from "#app/console/ui/charts/series.tsx";
import { formatRateTick, ratio } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";
import { judgeSenderRate, SENDER_RATES, type SenderRate } from "#server/universal/sender-rates.ts";

import type { Counts, MetricsAnswer } from "./queries.ts";

type CountName = Exclude<keyof Counts, "outcomes">;
type OutcomeName = keyof Counts["outcomes"];

/** The counts, in the order in which events happen. */
export const countLabels: Record<CountName, string> = {
  sent: "Sent",
  delivered: "Delivered",
  opened: "Opened",
  clicked: "Clicked",
  delivery_delayed: "Delayed",
  bounced: "Bounced",
  complained: "Complained",
  failed: "Failed",
  suppressed: "Suppressed",
  scheduled: "Scheduled",
  canceled: "Canceled",
};

// Safe: the object literal has no other keys.
export const COUNTS = Object.keys(countLabels) as CountName[];

/** What happened to some of the emails, whatever their outcome. */
export const NOTABLE = ["opened", "clicked", "delivery_delayed", "bounced", "complained"] as const;

/** Outcomes of emails, stacked in this order from the bottom of the chart. */
export const outcomeSeries: (Series[number] & { name: OutcomeName })[] = [
  { name: "done", label: "Delivered", tone: "done" },
  { name: "waiting", label: "Pending", tone: "waiting" },
  { name: "failed", label: "Bounced or failed", tone: "failed" },
  { name: "not_sent", label: "Not sent", tone: "none" },
];

/** The statuses that make up each outcome in the email list. */
export const outcomeStatuses: Record<OutcomeName, string[]> = {
  done: ["delivered", "opened", "clicked"],
  waiting: ["scheduled", "queued", "sent", "delivery_delayed"],
  failed: ["bounced", "failed"],
  not_sent: ["canceled", "suppressed"],
};

export type RateName = SenderRate | "delivery" | "open" | "click";

/** Emails that were delivered or failed. Pending emails have no outcome yet. */
const completed = ({ outcomes }: Counts) => outcomes.done + outcomes.failed;
const delivered = ({ outcomes }: Counts) => outcomes.done;

/** Each rate is one count divided by another. The delivery rate and the share of emails that bounced or failed add up to 100%. */
export const rates: Record<
  RateName,
  {
    label: string;
    numerator: (counts: Counts) => number;
    denominator: (counts: Counts) => number;
    denominatorLabel: string;
    tone: StatusTone;
    /** The rate is 0 unless this is tracked. */
    needs?: keyof Tracking;
  }
> = {
  delivery: {
    label: "Delivery rate",
    numerator: delivered,
    denominator: completed,
    denominatorLabel: "of delivered or failed",
    tone: "done",
  },
  bounce: {
    label: "Bounce rate",
    numerator: ({ bounced }) => bounced,
    denominator: completed,
    denominatorLabel: "of delivered or failed",
    tone: "failed",
  },
  complaint: {
    label: "Complaint rate",
    numerator: ({ complained }) => complained,
    denominator: delivered,
    denominatorLabel: "of delivered",
    tone: "failed",
  },
  open: {
    label: "Open rate",
    numerator: ({ opened }) => opened,
    denominator: delivered,
    denominatorLabel: "of delivered",
    tone: "info",
    needs: "opens",
  },
  click: {
    label: "Click rate",
    numerator: ({ clicked }) => clicked,
    denominator: delivered,
    denominatorLabel: "of delivered",
    tone: "info",
    needs: "clicks",
  },
};

// Safe: the object literal has no other keys.
export const RATE_NAMES = Object.keys(rates) as RateName[];

/** The rate, or null if the denominator is zero. */
export const rateOf = (name: RateName, counts: Counts): number | null =>
  ratio(rates[name].numerator(counts), rates[name].denominator(counts));

type Tracking = MetricsAnswer["domains"][number]["tracking"];

/** Whether a rate is always 0 because none of the domains tracks opens or clicks. */
export function isUntracked(
  name: RateName,
  domains: readonly { counts: Counts; tracking: Tracking }[],
): boolean {
  const { needs, numerator } = rates[name];
  return (
    needs !== undefined &&
    domains.every(({ counts, tracking }) => !tracking[needs] && numerator(counts) === 0)
  );
}

const DELIVERY_TARGET = 0.95;

/** Compares a rate with its target: "Good (target: below 2%)". Null without a target, or with too few emails. */
export function assessRate(
  name: RateName,
  counts: Counts,
): { tone: StatusTone; label: string } | null {
  const [events, emails] = [rates[name].numerator(counts), rates[name].denominator(counts)];
  if (name === "delivery") {
    // The minimum number of emails is the same as for bounces.
    if (judgeSenderRate("bounce", 0, emails) === null) return null;
    const target = `target: ${formatRateTick(DELIVERY_TARGET)} or more`;
    return events / emails >= DELIVERY_TARGET
      ? { tone: "done", label: `Good (${target})` }
      : { tone: "waiting", label: `Low (${target})` };
  }
  if (name !== "bounce" && name !== "complaint") return null;
  const target = `target: below ${formatRateTick(SENDER_RATES[name].high)}`;
  switch (judgeSenderRate(name, events, emails)) {
    case "good":
      return { tone: "done", label: `Good (${target})` };
    case "high":
      return { tone: "waiting", label: `High (${target})` };
    case "critical":
      return { tone: "failed", label: `Too high (${target})` };
    case null:
      return null;
  }
}

/** The total number of emails. */
export const emailCount = ({ outcomes }: Counts): number =>
  outcomes.done + outcomes.waiting + outcomes.failed + outcomes.not_sent;
