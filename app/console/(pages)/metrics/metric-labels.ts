import type { Series } from "#app/console/ui/charts/series.tsx";
import { ratio } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { Counts } from "./queries.ts";

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

export type RateName = "delivery" | "bounce" | "complaint" | "open" | "click";

/** Each rate is one count divided by another, with the target that senders should meet. */
export const rates: Record<
  RateName,
  {
    label: string;
    numerator: CountName;
    denominator: CountName;
    denominatorLabel: string;
    tone: StatusTone;
    /** What large mailbox providers expect of senders; null if they have no such limit. */
    target: { label: string; isMet: (rate: number) => boolean; missed: "Low" | "High" } | null;
  }
> = {
  delivery: {
    label: "Delivery rate",
    numerator: "delivered",
    denominator: "sent",
    denominatorLabel: "of sent",
    tone: "done",
    target: { label: "95% or more", isMet: (rate) => rate >= 0.95, missed: "Low" },
  },
  bounce: {
    label: "Bounce rate",
    numerator: "bounced",
    denominator: "sent",
    denominatorLabel: "of sent",
    tone: "failed",
    target: { label: "below 2%", isMet: (rate) => rate < 0.02, missed: "High" },
  },
  complaint: {
    label: "Complaint rate",
    numerator: "complained",
    denominator: "delivered",
    denominatorLabel: "of delivered",
    tone: "failed",
    target: { label: "below 0.1%", isMet: (rate) => rate < 0.001, missed: "High" },
  },
  open: {
    label: "Open rate",
    numerator: "opened",
    denominator: "delivered",
    denominatorLabel: "of delivered",
    tone: "info",
    target: null,
  },
  click: {
    label: "Click rate",
    numerator: "clicked",
    denominator: "delivered",
    denominatorLabel: "of delivered",
    tone: "info",
    target: null,
  },
};

// Safe: the object literal has no other keys.
export const RATE_NAMES = Object.keys(rates) as RateName[];

/** Compares a rate with its target: "Good (target: below 2%)". Null without a rate or a target. */
export function assessRate(
  name: RateName,
  rate: number | null,
): { tone: StatusTone; label: string } | null {
  const { target } = rates[name];
  if (!target || rate === null) return null;
  return target.isMet(rate)
    ? { tone: "done", label: `Good (target: ${target.label})` }
    : { tone: "waiting", label: `${target.missed} (target: ${target.label})` };
}

/** The rate, or null if the denominator is zero. */
export const rateOf = (name: RateName, counts: Counts): number | null =>
  ratio(counts[rates[name].numerator], counts[rates[name].denominator]);

/** The total number of emails. */
export const emailCount = ({ outcomes }: Counts): number =>
  outcomes.done + outcomes.waiting + outcomes.failed + outcomes.not_sent;
