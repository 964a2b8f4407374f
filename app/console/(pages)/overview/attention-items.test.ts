import { describe, expect, test } from "vitest";

import { attentionItem, rateAlarms } from "./attention-items.ts";
import type { OverviewProblem } from "./queries.ts";

const FACTS = {
  queue: { emails: 1, oldestSeconds: 7300, isCut: false },
  month: { used: 95, allowed: 100 },
};
const NONE = {
  count: 1,
  state: "",
  snoozedUntil: null,
  domains: [],
  webhooks: [],
  mailboxes: [],
};
const itemFor = (
  problem: Partial<OverviewProblem> & Pick<OverviewProblem, "kind">,
  facts = FACTS,
) => attentionItem({ ...NONE, ...problem }, facts);

const mailbox = (used: number) => ({
  address: "ann@example.com",
  usedBytes: used,
  quotaBytes: 1000,
});
const domain = (missing: OverviewProblem["domains"][number]["missing"], id = "d") => ({
  id,
  name: `${id}.test`,
  status: missing.length > 0 ? ("verified" as const) : ("pending" as const),
  missing,
});
const webhook = (failures: number, id = "w") => ({
  id,
  endpoint: `https://${id}.example.com/in`,
  failures,
});

test.each<[Parameters<typeof itemFor>[0], string, string | undefined]>([
  [
    { kind: "domains_unverified", domains: [domain([])] },
    "waiting Not verified: d.test can’t send yet",
    "/console/domains/d",
  ],
  [
    { kind: "domains_unverified", count: 2, domains: [domain([]), domain([], "e")] },
    "waiting Not verified: 2 domains can’t send yet",
    undefined,
  ],
  [
    { kind: "records_missing", domains: [domain(["dmarc", "mx"])] },
    "waiting Record missing: d.test is missing its DMARC, MX records",
    "/console/domains/d",
  ],
  [
    { kind: "webhooks_disabled", webhooks: [webhook(50)] },
    "failed Disabled: The webhook at w.example.com was disabled after too many failures",
    "/console/webhooks/w",
  ],
  [
    { kind: "webhooks_failing", webhooks: [webhook(3)] },
    "waiting Failing: The webhook at w.example.com failed 3 times in a row",
    "/console/webhooks/w",
  ],
  [
    { kind: "mailboxes_full", mailboxes: [mailbox(1200)] },
    "failed Full: ann@example.com is full, so its new mail is deferred",
    "/console/mailboxes/ann%40example.com",
  ],
  [
    { kind: "mailboxes_nearly_full", mailboxes: [mailbox(955)] },
    "waiting Nearly full: ann@example.com is 95% full",
    "/console/mailboxes/ann%40example.com",
  ],
  [
    { kind: "mailboxes_nearly_full", count: 36, mailboxes: [mailbox(955)] },
    "waiting Nearly full: 36 mailboxes are nearly full",
    "/console/mailboxes?status=nearly_full",
  ],
  [
    { kind: "mailboxes_on_hold", count: 2 },
    "failed On hold: Mail from 2 mailboxes is on hold: their passwords may be compromised",
    "/console/on-hold",
  ],
  [
    { kind: "queue_delayed" },
    "waiting Delayed: The oldest email has been queued for 2 hours",
    "/console/emails?status=delivery_delayed",
  ],
  [
    { kind: "month_nearly_used" },
    "waiting Near limit: Your company has used 95% of its recipients this month",
    "/console/settings?tab=usage",
  ],
])("explains %j", (problem, words, href) => {
  const { tone, label, text, href: link } = itemFor(problem);
  expect(`${tone} ${label}: ${text}`).toBe(words);
  expect(link).toBe(href);
});

test("a limit of zero is used up", () => {
  const facts = { ...FACTS, month: { used: 0, allowed: 0 } };
  expect(itemFor({ kind: "month_used" }, facts)).toMatchObject({
    tone: "failed",
    text: "Your company has used 100% of its recipients this month",
    needs: "manage_settings",
  });
});

test("several objects without a list of their own are listed", () => {
  const webhooks = [webhook(12), webhook(1, "v")];
  expect(itemFor({ kind: "webhooks_failing", count: 2, webhooks }).parts).toEqual([
    {
      id: "w",
      name: "w.example.com",
      detail: "failed 12 times in a row",
      href: "/console/webhooks/w",
    },
    { id: "v", name: "v.example.com", detail: "failed once", href: "/console/webhooks/v" },
  ]);
  expect(itemFor({ kind: "webhooks_failing", webhooks: [webhook(1)] }).parts).toEqual([]);
});

describe("rate alarms", () => {
  const counts = (done: number, { bounced = 0, complained = 0 }) => ({
    sent: done,
    delivered: done,
    opened: 0,
    clicked: 0,
    delivery_delayed: 0,
    failed: 0,
    suppressed: 0,
    scheduled: 0,
    canceled: 0,
    bounced,
    complained,
    outcomes: { done, waiting: 0, failed: bounced, not_sent: 0 },
  });

  test("name rates that mailbox providers don't accept, with the numbers of Metrics", () => {
    expect(rateAlarms(counts(960, { bounced: 40, complained: 3 }))).toMatchObject([
      {
        tone: "waiting",
        label: "Bounces",
        text: expect.stringMatching(/^4\.00% of emails bounced in the last 14 days/) as string,
        href: "/console/metrics?period=14d",
      },
      { tone: "failed", label: "Complaints" },
    ]);
  });

  test("aren't raised for good rates or few emails", () => {
    expect(rateAlarms(counts(990, { bounced: 10 }))).toEqual([]);
    expect(rateAlarms(counts(2, { bounced: 1, complained: 1 }))).toEqual([]);
  });
});
