import type { Meaning } from "#app/console/ui/status.tsx";

import type { OverviewAnswer } from "./queries.ts";

/** One thing that somebody should look at, and where. */
export type Point = {
  meaning: Extract<Meaning, "failed" | "waiting">;
  word: string;
  text: string;
  href: string;
};

/** The oldest is tried again after an hour at the latest while it is new: beyond it something is slow. */
const WAITS_LONG_SECONDS = 3_600;
const NEARLY_USED = 0.9;

const number = new Intl.NumberFormat("en");

const RECORDS: Record<string, string> = {
  ...{ ownership: "ownership", spf: "SPF", dkim: "DKIM", dmarc: "DMARC", mx: "MX" },
  ...{ mta_sts: "MTA-STS", tls_rpt: "TLS-RPT" },
};

/** What needs attention, failures first. */
export function attentionOf(overview: OverviewAnswer): Point[] {
  const points = [
    ...ofDomains(overview.domains),
    ...ofWebhooks(overview.webhooks),
    ...ofHeld(overview.held),
    ...ofQueue(overview.queue),
    ...ofMonth(overview.month),
    ...ofMailboxes(overview.mailboxes),
  ];
  return [
    ...points.filter(({ meaning }) => meaning === "failed"),
    ...points.filter(({ meaning }) => meaning === "waiting"),
  ];
}

function ofDomains(domains: OverviewAnswer["domains"]): Point[] {
  if (!domains) return [];
  const points = domains.first.map(({ id, name, status, missing }): Point => {
    const href = `/console/domains/${id}`;
    if (status !== "verified")
      return { meaning: "waiting", word: "Not verified", text: `${name} cannot send yet`, href };
    const records = missing.map((record) => RECORDS[record] ?? record).join(", ");
    const what = missing.length === 1 ? "record is" : "records are";
    return {
      meaning: "waiting",
      word: "Record missing",
      text: `The ${records} ${what} missing at ${name}`,
      href,
    };
  });
  return [...points, ...more(domains, "domain", "/console/domains")];
}

function ofWebhooks(webhooks: OverviewAnswer["webhooks"]): Point[] {
  if (!webhooks) return [];
  const points = webhooks.first.map(
    ({ id, endpoint, failures, is_disabled: isDisabled }): Point => {
      const href = `/console/webhooks/${id}`;
      const { host } = new URL(endpoint);
      if (isDisabled)
        return {
          meaning: "failed",
          word: "Disabled",
          text: `The webhook at ${host} failed for too long and gets no events`,
          href,
        };
      const times = failures === 1 ? "once" : `${number.format(failures)} times in a row`;
      return {
        meaning: "waiting",
        word: "Failing",
        text: `The webhook at ${host} failed ${times}`,
        href,
      };
    },
  );
  return [...points, ...more(webhooks, "webhook", "/console/webhooks")];
}

function ofMailboxes(mailboxes: OverviewAnswer["mailboxes"]): Point[] {
  if (!mailboxes) return [];
  const points = mailboxes.first.map(({ address, used_bytes: used, quota_bytes: quota }): Point => {
    const href = `/console/mailboxes/${encodeURIComponent(address)}`;
    const share = Math.floor((used / quota) * 100);
    return share >= 100
      ? { meaning: "failed", word: "Full", text: `${address} takes no more mail`, href }
      : { meaning: "waiting", word: "Nearly full", text: `${address} is ${share}% full`, href };
  });
  return [...points, ...more(mailboxes, "mailbox", "/console/mailboxes")];
}

function ofHeld(held: number | null): Point[] {
  if (!held) return [];
  const who = held === 1 ? "1 mailbox" : `${number.format(held)} mailboxes`;
  return [
    {
      ...{ meaning: "failed", word: "Held", href: "/console/on-hold" },
      text: `What ${who} sent is held: somebody else may have a password`,
    },
  ];
}

function ofQueue(queue: OverviewAnswer["queue"]): Point[] {
  const oldest = queue?.oldest_seconds ?? 0;
  if (oldest < WAITS_LONG_SECONDS) return [];
  return [
    {
      ...{ meaning: "waiting", word: "Delayed", href: "/console/emails?status=delivery_delayed" },
      text: `The oldest email in the queue has waited for ${inTime(oldest)}`,
    },
  ];
}

function ofMonth(month: OverviewAnswer["month"]): Point[] {
  if (!month || month.allowed === null || month.used < month.allowed * NEARLY_USED) return [];
  const isOver = month.used >= month.allowed;
  const share = month.allowed === 0 ? 100 : Math.floor((month.used / month.allowed) * 100);
  return [
    {
      ...{ meaning: isOver ? "failed" : "waiting", word: isOver ? "Used up" : "Nearly used up" },
      text: `${share}% of the recipients that your plan allows this month are used`,
      href: "/console/settings",
    },
  ];
}

/** Those beyond the first. */
function more(
  { count, first }: { count: number; first: unknown[] },
  what: string,
  href: string,
): Point[] {
  const rest = count - first.length;
  if (rest <= 0) return [];
  const plural = what === "mailbox" ? "mailboxes" : `${what}s`;
  const words = rest === 1 ? `1 more ${what}` : `${number.format(rest)} more ${plural}`;
  return [{ meaning: "waiting", word: "More", text: words, href }];
}

const UNITS = [
  { word: "day", seconds: 86_400 },
  { word: "hour", seconds: 3_600 },
  { word: "minute", seconds: 60 },
] as const;

/** "12 minutes", "3 hours"; seconds are "less than a minute". */
export function inTime(seconds: number): string {
  const unit = UNITS.find((unit) => seconds >= unit.seconds);
  if (!unit) return "less than a minute";
  const count = Math.floor(seconds / unit.seconds);
  return `${count} ${unit.word}${count === 1 ? "" : "s"}`;
}
