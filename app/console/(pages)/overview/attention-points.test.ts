import { expect, test } from "vitest";

import { attentionOf, inTime } from "./attention-points.ts";
import type { OverviewAnswer } from "./queries.ts";

const WELL: OverviewAnswer = {
  ...{ queue: { waiting: 3, oldest_seconds: 12, is_cut: false }, month: { used: 5, allowed: 100 } },
  ...{ domains: { count: 0, first: [] }, webhooks: { count: 0, first: [] } },
  ...{ mailboxes: { count: 0, first: [] }, held: 0, quarantined: 12, checklist: null },
};
const pointsOf = (change: Partial<OverviewAnswer>) =>
  attentionOf({ ...WELL, ...change }).map(
    ({ meaning, word, text }) => `${meaning} ${word}: ${text}`,
  );

const mailbox = (used: number) => ({
  ...{ address: "ann@example.com", used_bytes: used, quota_bytes: 1000 },
});
const webhook = { id: "w", endpoint: "https://hooks.example.com/in", failing_since: null };

test("nothing is said of what is well, or may not be seen", () => {
  expect(attentionOf(WELL)).toEqual([]);
  const nothing = Object.fromEntries(Object.keys(WELL).map((name) => [name, null]));
  expect(attentionOf(nothing as OverviewAnswer)).toEqual([]);
});

test.each<[Partial<OverviewAnswer>, string[]]>([
  [
    { domains: { count: 1, first: [{ id: "d", name: "x.test", status: "pending", missing: [] }] } },
    ["waiting Not verified: x.test cannot send yet"],
  ],
  [
    {
      domains: {
        count: 9,
        first: [{ id: "d", name: "x.test", status: "verified", missing: ["dmarc", "mx"] }],
      },
    },
    [
      "waiting Record missing: The DMARC, MX records are missing at x.test",
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
      "failed Full: ann@example.com takes no more mail",
      "waiting Nearly full: ann@example.com is 95% full",
    ],
  ],
  [{ held: 2 }, ["failed Held: What 2 mailboxes sent is held: somebody else may have a password"]],
  [
    { queue: { waiting: 1, oldest_seconds: 7300, is_cut: false } },
    ["waiting Delayed: The oldest email in the queue has waited for 2 hours"],
  ],
  [
    { month: { used: 95, allowed: 100 } },
    ["waiting Nearly used up: 95% of the recipients that your plan allows this month are used"],
  ],
  [
    { month: { used: 0, allowed: 0 } },
    ["failed Used up: 100% of the recipients that your plan allows this month are used"],
  ],
  [{ month: { used: 1e9, allowed: null } }, []],
])("%j is told", (change, points) => expect(pointsOf(change)).toEqual(points));

test.each([
  [5, "less than a minute"],
  [61, "1 minute"],
  [7199, "1 hour"],
  [200_000, "2 days"],
])("%i seconds are %s", (seconds, text) => expect(inTime(seconds)).toBe(text));
