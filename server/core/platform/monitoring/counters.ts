import { sql } from "drizzle-orm";

import { metricTotals } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const MINUTES = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/**
 * Everything that processes count, by the name that `/metrics` shows it under. Never use an address, a domain
 * or an ID as a label: each value is a time series that is kept forever.
 */
export const COUNTED = {
  posthouse_deliveries_total: {
    kind: "counter",
    help: "Completed delivery attempts, one per recipient, by queue (email or message), mail provider, and outcome",
  },
  posthouse_delivery_attempt_seconds: {
    kind: "histogram",
    help: "Duration of delivery attempts",
    buckets: SECONDS,
  },
  posthouse_delivery_latency_seconds: {
    kind: "histogram",
    help: "Time from accepting an email to its delivery",
    buckets: MINUTES,
  },
  posthouse_webhook_attempts_total: {
    kind: "counter",
    help: "Attempts to deliver webhook events",
  },
  posthouse_webhook_attempt_seconds: {
    kind: "histogram",
    help: "Duration of attempts to deliver webhook events",
    buckets: SECONDS,
  },
  posthouse_smtp_replies_total: {
    kind: "counter",
    help: "Replies of the SMTP listeners as in the mail log: one per recipient, or per client that got no further",
  },
  posthouse_sign_ins_total: {
    kind: "counter",
    help: "Sign-ins of mail apps, mailbox users and admins, by service and result",
  },
  posthouse_http_requests_total: {
    kind: "counter",
    help: "HTTP requests answered",
  },
  posthouse_http_request_seconds: {
    kind: "histogram",
    help: "Time to answer HTTP requests",
    buckets: SECONDS,
  },
  posthouse_process_starts_total: {
    kind: "counter",
    help: "Starts of processes, including restarts",
  },
} as const satisfies Record<string, Counted>;

type Counted =
  { kind: "counter"; help: string } | { kind: "histogram"; help: string; buckets: number[] };

export type CountedName = keyof typeof COUNTED;

type NameOf<Kind> = {
  [Name in CountedName]: (typeof COUNTED)[Name]["kind"] extends Kind ? Name : never;
}[CountedName];

export type Labels = Record<string, string>;

const logger = createLogger("metrics");

/** What was counted since the last flush. Labels in another order have a sum of their own until then. */
let pending = new Map<string, Sum>();

type Sum = { name: CountedName; labels: Labels; value: number; inBuckets: number[] | null };

let isFailing = false;

/** Counts in memory; `flushCounters` adds it to the totals of all processes. */
export function count(name: NameOf<"counter">, labels: Labels = {}, by = 1): void {
  sumOf(name, labels).value += by;
}

/** Adds a duration to a histogram. */
export function observe(name: NameOf<"histogram">, labels: Labels, seconds: number): void {
  const sum = sumOf(name, labels);
  sum.value += seconds;
  const { buckets } = COUNTED[name];
  let bucket = 0;
  while (bucket < buckets.length && seconds > buckets[bucket]!) bucket++;
  sum.inBuckets ??= Array<number>(buckets.length + 1).fill(0);
  sum.inBuckets[bucket]!++;
}

/** Called several times per request and email, hence without sorting the labels or converting them to JSON. */
function sumOf(name: CountedName, labels: Labels): Sum {
  let key: string = name;
  for (const label in labels) key += `\n${label}=${labels[label]}`;
  let sum = pending.get(key);
  if (!sum) {
    sum = { name, labels, value: 0, inBuckets: null };
    pending.set(key, sum);
  }
  return sum;
}

/**
 * Adds what this process has counted to the totals in the database, which all processes share and which outlive
 * them. Never fails: what can't be written is written with the next flush.
 */
export async function flushCounters(db: Db): Promise<void> {
  if (pending.size === 0) return;
  const taken = pending;
  pending = new Map();
  try {
    await db.execute(sql`
      insert into ${metricTotals} as known (name, labels, value)
      select name, labels, value from jsonb_to_recordset(${JSON.stringify(toRows(taken))}::jsonb)
        as counted(name text, labels text, value float8)
      on conflict (name, labels) do update set value = known.value + excluded.value`);
    isFailing = false;
  } catch (err) {
    for (const sum of taken.values()) putBack(sum);
    if (!isFailing) logger.warn({ err }, "failed to store metrics; retrying");
    isFailing = true;
  }
}

/** In one order, so that processes that flush at the same time don't deadlock. */
function toRows(sums: Map<string, Sum>): { name: string; labels: string; value: number }[] {
  const rows = new Map<string, { name: string; labels: string; value: number }>();
  const add = (name: string, labels: Labels, value: number) => {
    const text = JSON.stringify(labels, Object.keys(labels).toSorted());
    const row = rows.get(`${name} ${text}`) ?? { name, labels: text, value: 0 };
    row.value += value;
    rows.set(`${name} ${text}`, row);
  };
  for (const { name, labels, value, inBuckets } of sums.values()) {
    add(inBuckets ? `${name}_sum` : name, labels, value);
    for (const [at, number] of inBuckets?.entries() ?? [])
      if (number > 0) add(`${name}_bucket`, { ...labels, le: upperBound(name, at) }, number);
  }
  return [...rows.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function upperBound(name: CountedName, bucket: number): string {
  const counted: Counted = COUNTED[name];
  const bound = counted.kind === "histogram" ? counted.buckets[bucket] : undefined;
  return bound === undefined ? "+Inf" : String(bound);
}

function putBack({ name, labels, value, inBuckets }: Sum): void {
  const sum = sumOf(name, labels);
  sum.value += value;
  if (inBuckets) sum.inBuckets = inBuckets.map((number, at) => number + (sum.inBuckets?.[at] ?? 0));
}

/** The totals of all processes, present and past. Histograms have one row for each bucket, not cumulated. */
export async function listTotals(
  db: Db,
): Promise<{ name: string; labels: Labels; value: number }[]> {
  const rows = await db.select().from(metricTotals);
  return rows.map(({ labels, ...row }) => ({ ...row, labels: JSON.parse(labels) as Labels }));
}
