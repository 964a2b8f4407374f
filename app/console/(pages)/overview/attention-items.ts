import { formatCount, formatDuration, pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { OverviewAnswer } from "./queries.ts";

/** A problem that an admin should look at, with a link to it. */
export type AttentionItem = {
  tone: Extract<StatusTone, "failed" | "waiting">;
  label: string;
  text: string;
  href: string;
};

/** New emails are retried at least hourly. If the oldest is older, delivery is slow. */
const LONG_WAIT_SECONDS = 3_600;
const NEARLY_USED = 0.9;

const RECORDS: Record<string, string> = {
  ...{ ownership: "ownership", spf: "SPF", dkim: "DKIM", dmarc: "DMARC", mx: "MX" },
  ...{ mta_sts: "MTA-STS", tls_rpt: "TLS-RPT" },
};

/** Failures come first. */
export function attentionItems(overview: OverviewAnswer): AttentionItem[] {
  const items = [
    ...domainItems(overview.domains),
    ...webhookItems(overview.webhooks),
    ...onHoldItems(overview.mailboxes_on_hold),
    ...queueItems(overview.queue),
    ...quotaItems(overview.month),
    ...mailboxItems(overview.mailboxes),
  ];
  return [
    ...items.filter(({ tone }) => tone === "failed"),
    ...items.filter(({ tone }) => tone === "waiting"),
  ];
}

function domainItems(domains: OverviewAnswer["domains"]): AttentionItem[] {
  if (!domains) return [];
  const items = domains.first.map(({ id, name, status, missing }): AttentionItem => {
    const href = `/console/domains/${id}`;
    if (status !== "verified")
      return { tone: "waiting", label: "Not verified", text: `${name} can’t send yet`, href };
    const records = missing.map((record) => RECORDS[record] ?? record).join(", ");
    const noun = missing.length === 1 ? "record" : "records";
    return {
      tone: "waiting",
      label: "Record missing",
      text: `${name} is missing its ${records} ${noun}`,
      href,
    };
  });
  return [...items, ...moreItem(domains, "domain", "/console/domains")];
}

function webhookItems(webhooks: OverviewAnswer["webhooks"]): AttentionItem[] {
  if (!webhooks) return [];
  const items = webhooks.first.map(
    ({ id, endpoint, failures, is_disabled: isDisabled }): AttentionItem => {
      const href = `/console/webhooks/${id}`;
      const { host } = new URL(endpoint);
      if (isDisabled)
        return {
          tone: "failed",
          label: "Disabled",
          text: `The webhook at ${host} was disabled after too many failures`,
          href,
        };
      const times = failures === 1 ? "once" : `${formatCount(failures)} times in a row`;
      return {
        tone: "waiting",
        label: "Failing",
        text: `The webhook at ${host} failed ${times}`,
        href,
      };
    },
  );
  return [...items, ...moreItem(webhooks, "webhook", "/console/webhooks")];
}

function mailboxItems(mailboxes: OverviewAnswer["mailboxes"]): AttentionItem[] {
  if (!mailboxes) return [];
  const items = mailboxes.first.map(
    ({ address, used_bytes: used, quota_bytes: quota }): AttentionItem => {
      const href = `/console/mailboxes/${encodeURIComponent(address)}`;
      const share = Math.floor((used / quota) * 100);
      return share >= 100
        ? { tone: "failed", label: "Full", text: `${address} is full and rejects new mail`, href }
        : { tone: "waiting", label: "Nearly full", text: `${address} is ${share}% full`, href };
    },
  );
  return [...items, ...moreItem(mailboxes, "mailbox", "/console/mailboxes?status=nearly_full")];
}

function onHoldItems(count: number | null): AttentionItem[] {
  if (!count) return [];
  const isOne = count === 1;
  const mailboxes = pluralize(count, "mailbox", "mailboxes");
  const passwords = isOne ? "its password" : "their passwords";
  return [
    {
      ...{ tone: "failed", label: "On hold", href: "/console/on-hold" },
      text: `Mail from ${mailboxes} is on hold: ${passwords} may be compromised`,
    },
  ];
}

function queueItems(queue: OverviewAnswer["queue"]): AttentionItem[] {
  const oldest = queue?.oldest_seconds ?? 0;
  if (oldest < LONG_WAIT_SECONDS) return [];
  return [
    {
      ...{ tone: "waiting", label: "Delayed", href: "/console/emails?status=delivery_delayed" },
      text: `The oldest email has been queued for ${formatDuration(oldest)}`,
    },
  ];
}

function quotaItems(month: OverviewAnswer["month"]): AttentionItem[] {
  if (!month || month.allowed === null || month.used < month.allowed * NEARLY_USED) return [];
  const isOver = month.used >= month.allowed;
  const share = month.allowed === 0 ? 100 : Math.floor((month.used / month.allowed) * 100);
  return [
    {
      ...{ tone: isOver ? "failed" : "waiting", label: isOver ? "Limit reached" : "Near limit" },
      text: `Your company has used ${share}% of its recipients this month`,
      href: "/console/settings?tab=usage",
    },
  ];
}

/** Links to the list for items that don't fit here. */
function moreItem(
  { count, first }: { count: number; first: unknown[] },
  noun: string,
  href: string,
): AttentionItem[] {
  const rest = count - first.length;
  if (rest <= 0) return [];
  const text = pluralize(rest, `more ${noun}`, noun === "mailbox" ? "more mailboxes" : undefined);
  return [{ tone: "waiting", label: "More", text, href }];
}
