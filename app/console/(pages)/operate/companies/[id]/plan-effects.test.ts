import { expect, test } from "vitest";

import { planEffects } from "./plan-effects.ts";

const figures = {
  monthly_allowance: 10_000,
  domains_max: null,
  mailboxes_max: 400,
  quota_mb_max: 51_200,
  default_quota_mb: 5_120,
};
const company = { figures, month_recipients: 4_200, domains: 3, mailboxes: 306 };

test("equal limits change nothing", () => {
  expect(planEffects(company, figures)).toEqual([]);
});

test.each([
  [{ monthly_allowance: 5_000 }, "Recipients per month: 10,000 to 5,000."],
  [
    { monthly_allowance: 4_200 },
    "Recipients per month: 10,000 to 4,200. The company has sent to 4,200 recipients this month, so it can’t send more emails through the API until next month.",
  ],
  [{ monthly_allowance: null }, "Recipients per month: 10,000 to unlimited."],
  [
    { domains_max: 1 },
    "Domains: unlimited to 1. The company has 3 domains: it keeps what it has but can’t create more.",
  ],
  [{ domains_max: 4 }, "Domains: unlimited to 4."],
  [
    { mailboxes_max: 306 },
    "Mailboxes: 400 to 306. The company has 306 mailboxes: it keeps what it has but can’t create more.",
  ],
  [
    { quota_mb_max: 1_024 },
    "Maximum storage limit: 50 GB to 1 GB. Mailboxes with a higher limit keep it until someone changes or restores them.",
  ],
  [{ quota_mb_max: null }, "Maximum storage limit: 50 GB to unlimited."],
  [{ default_quota_mb: 1_024 }, "Default storage limit: 5 GB to 1 GB."],
])("%j", (change, effect) => {
  expect(planEffects(company, { ...figures, ...change })).toEqual([effect]);
});

test("a company without domains doesn’t have too many", () => {
  const limits = { ...figures, domains_max: 0 };
  expect(planEffects({ ...company, domains: 0 }, limits)).toEqual(["Domains: unlimited to 0."]);
});
