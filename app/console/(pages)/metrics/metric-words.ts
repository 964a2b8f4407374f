import { shareOf } from "#app/console/ui/charts/numbers.ts";
import type { Series } from "#app/console/ui/charts/series.ts";
import type { Meaning } from "#app/console/ui/status.tsx";

import type { Counts } from "./queries.ts";

type CountName = Exclude<keyof Counts, "outcomes">;
type OutcomeName = keyof Counts["outcomes"];

/** The counts, in the order of an email's life. */
export const countWords: Record<CountName, string> = {
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

// The keys of countWords are its own.
export const COUNTS = Object.keys(countWords) as CountName[];

/** What became of emails, from the axis upwards. */
export const outcomeSeries: (Series[number] & { name: OutcomeName })[] = [
  { name: "done", label: "Delivered", meaning: "done" },
  { name: "waiting", label: "On the way", meaning: "waiting" },
  { name: "failed", label: "Bounced or failed", meaning: "failed" },
  { name: "not_sent", label: "Not sent", meaning: "none" },
];

/** The states that rows of each outcome have in the list of emails. */
export const statesOfOutcome: Record<OutcomeName, string[]> = {
  done: ["delivered", "opened", "clicked"],
  waiting: ["scheduled", "queued", "sent", "delivery_delayed"],
  failed: ["bounced", "failed"],
  not_sent: ["canceled", "suppressed"],
};

export type RateName = "delivery" | "bounce" | "complaint" | "open" | "click";

/** Each rate: one count in proportion to another, and from where on it is worth a look. */
export const rates: Record<
  RateName,
  {
    word: string;
    of: CountName;
    to: CountName;
    toWord: string;
    meaning: Meaning;
    /** What large mailbox providers ask of senders; null where there is no such thing. */
    good: { word: string; isGood: (rate: number) => boolean; elseIt: string } | null;
  }
> = {
  delivery: {
    ...{ word: "Delivery rate", of: "delivered", to: "sent", toWord: "of sent", meaning: "done" },
    good: { word: "from 95% on", isGood: (rate) => rate >= 0.95, elseIt: "Low" },
  },
  bounce: {
    ...{ word: "Bounce rate", of: "bounced", to: "sent", toWord: "of sent", meaning: "failed" },
    good: { word: "below 2%", isGood: (rate) => rate < 0.02, elseIt: "High" },
  },
  complaint: {
    ...{ word: "Complaint rate", of: "complained", to: "delivered" },
    ...{ toWord: "of delivered", meaning: "failed" },
    good: { word: "below 0.1%", isGood: (rate) => rate < 0.001, elseIt: "High" },
  },
  open: {
    ...{ word: "Open rate", of: "opened", to: "delivered" },
    ...{ toWord: "of delivered", meaning: "informing" },
    good: null,
  },
  click: {
    ...{ word: "Click rate", of: "clicked", to: "delivered" },
    ...{ toWord: "of delivered", meaning: "informing" },
    good: null,
  },
};

// The keys of rates are its own.
export const RATES = Object.keys(rates) as RateName[];

/** What there is to say of a rate: "Good: below 2%", "High: good below 2%"; null where nothing is. */
export function judgementOf(
  name: RateName,
  rate: number | null,
): { meaning: Meaning; word: string } | null {
  const { good } = rates[name];
  if (!good || rate === null) return null;
  return good.isGood(rate)
    ? { meaning: "done", word: `Good: ${good.word}` }
    : { meaning: "waiting", word: `${good.elseIt}: good ${good.word}` };
}

/** Null where nothing was sent that it could be a part of. */
export const rateOf = (name: RateName, counts: Counts): number | null =>
  shareOf(counts[rates[name].of], counts[rates[name].to]);

/** How many emails there are at all. */
export const emailsIn = ({ outcomes }: Counts): number =>
  outcomes.done + outcomes.waiting + outcomes.failed + outcomes.not_sent;
