import { expect, test } from "vitest";

import { planEffects } from "./company-plan.tsx";

const figures = {
  monthlyAllowance: 10_000,
  domainsMax: null,
  mailboxesMax: 400,
  quotaMbMax: 51_200,
  defaultQuotaMb: 5_120,
};

const company = { figures, monthRecipients: 4_200, domains: 3, mailboxes: 306 };

test("equal limits change nothing", () => {
  expect(planEffects(company, figures)).toEqual([]);
});

test.each([
  [{ monthlyAllowance: 5_000 }, "Recipients per month: 10,000 to 5,000."],
  [
    { monthlyAllowance: 4_200 },
    "Recipients per month: 10,000 to 4,200. The company has sent to 4,200 recipients this month, so it can’t send more emails through the API until next month.",
  ],
  [{ monthlyAllowance: null }, "Recipients per month: 10,000 to unlimited."],
  [
    { domainsMax: 1 },
    "Domains: unlimited to 1. The company has 3 domains: it keeps what it has but can’t create more.",
  ],
  [{ domainsMax: 4 }, "Domains: unlimited to 4."],
  [
    { mailboxesMax: 306 },
    "Mailboxes: 400 to 306. The company has 306 mailboxes: it keeps what it has but can’t create more.",
  ],
  [
    { quotaMbMax: 1_024 },
    "Maximum storage limit: 50 GB to 1 GB. Mailboxes with a higher limit keep it until someone changes or restores them.",
  ],
  [{ quotaMbMax: null }, "Maximum storage limit: 50 GB to unlimited."],
  [{ defaultQuotaMb: 1_024 }, "Default storage limit: 5 GB to 1 GB."],
])("%j", (change, effect) => {
  expect(planEffects(company, { ...figures, ...change })).toEqual([effect]);
});

test("a company without domains doesn’t have too many", () => {
  const limits = { ...figures, domainsMax: 0 };
  expect(planEffects({ ...company, domains: 0 }, limits)).toEqual(["Domains: unlimited to 0."]);
});
