import { expect, test } from "vitest";

import { attentionItems } from "./attention-items.ts";
import type { OverviewAnswer } from "./queries.ts";

const HEALTHY: OverviewAnswer = {
  ...{ queue: { waiting: 3, oldest_seconds: 12, is_cut: false }, month: { used: 5, allowed: 100 } },
  ...{ domains: { count: 0, first: [] }, webhooks: { count: 0, first: [] } },
  ...{ mailboxes: { count: 0, first: [] }, mailboxes_on_hold: 0, quarantined: 12, checklist: null },
};
const itemsFor = (change: Partial<OverviewAnswer>) =>
  attentionItems({ ...HEALTHY, ...change }).map(
    ({ tone, label, text }) => `${tone} ${label}: ${text}`,
  );

const mailbox = (used: number) => ({
  ...{ address: "ann@example.com", used_bytes: used, quota_bytes: 1000 },
});
const webhook = { id: "w", endpoint: "https://hooks.example.com/in", failing_since: null };

test("lists nothing that is healthy or that the admin can't see", () => {
  expect(attentionItems(HEALTHY)).toEqual([]);
  const nothing = Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, null]));
  expect(attentionItems(nothing as OverviewAnswer)).toEqual([]);
});

test.each<[Partial<OverviewAnswer>, string[]]>([
  [
    { domains: { count: 1, first: [{ id: "d", name: "x.test", status: "pending", missing: [] }] } },
    ["waiting Not verified: x.test can’t send yet"],
  ],
  [
    {
      domains: {
        count: 9,
        first: [{ id: "d", name: "x.test", status: "verified", missing: ["dmarc", "mx"] }],
      },
    },
    [
      "waiting Record missing: x.test is missing its DMARC, MX records",
      "waiting More: 8 more domains",
    ],
  ],
  [
    { webhooks: { count: 1, first: [{ ...webhook, failures: 3, is_disabled: false }] } },
    ["waiting Failing: The webhook at hooks.example.com failed 3 times in a row"],
  ],
  [
    { mailboxes: { count: 2, first: [mailbox(955), mailbox(1200)] } },
    [
      "failed Full: ann@example.com is full and rejects new mail",
      "waiting Nearly full: ann@example.com is 95% full",
    ],
  ],
  [
    { mailboxes_on_hold: 2 },
    ["failed On hold: Mail from 2 mailboxes is on hold: their passwords may be compromised"],
  ],
  [
    { queue: { waiting: 1, oldest_seconds: 7300, is_cut: false } },
    ["waiting Delayed: The oldest email has been queued for 2 hours"],
  ],
  [
    { month: { used: 95, allowed: 100 } },
    ["waiting Near limit: Your company has used 95% of its recipients this month"],
  ],
  [
    { month: { used: 0, allowed: 0 } },
    ["failed Limit reached: Your company has used 100% of its recipients this month"],
  ],
  [{ month: { used: 1e9, allowed: null } }, []],
])("explains %j", (change, items) => expect(itemsFor(change)).toEqual(items));

test("a used up month leads to the usage of the company", () => {
  const items = attentionItems({ ...HEALTHY, month: { used: 95, allowed: 100 } });
  expect(items.map(({ href }) => href)).toEqual(["/console/settings?tab=usage"]);
});
