import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";
import { anApiKey } from "#server/testing/factories.ts";

import { ALL_LOOKS, faultsOf, overflowOf } from "./looks.ts";
import { expect, test } from "./mail-server.ts";
import { someRequests, someSuppressions } from "./seed-developer.ts";
import { aCheckedDomain } from "./seed-domains.ts";
import { manyMailboxes } from "./seed-mailboxes.ts";
import { heldMessages } from "./seed-quarantine.ts";
import { webhooksInEveryState } from "./seed-webhooks.ts";
import { anEmailWithHistory, manyEmails } from "./seed.ts";

// Every page that somebody who may everything can get to: those of the navigation, and the first of each
// kind that these lead to. A new page is tried by being linked.

/** Between and beyond the widths at which everything is looked at. */
const MORE_WIDTHS = [768, 1920];

/** More than there are kinds of pages. */
const PAGES_MAX = 90;

type Company = { companyId: string; domain: string };

async function fill(company: Company) {
  const { companyId } = company;
  await manyEmails(company, 25);
  await anEmailWithHistory(company);
  await manyMailboxes(companyId, 12);
  await heldMessages(companyId);
  await webhooksInEveryState(companyId);
  await aCheckedDomain(companyId, `every-${companyId}.example`);
  await someRequests(companyId, 12, (await anApiKey(companyId)).id);
  await someSuppressions(companyId, 12);
}

/** Pages that differ in nothing but what they are about are of one kind. */
const kindOf = (path: string) =>
  path.replace(/\?.*/, "").replace(/\/[^/]*(@|%40|[0-9a-f]{8})[^/]*/gi, "/*");

/** Where the page leads to within the console, and to no act. */
const linksOf = (page: Page) =>
  page
    .locator("#content a[href^='/console/'], nav a[href^='/console/']")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")!))
    .then((paths) => paths.map((path) => path.replace(/[?#].*/, "")));

async function settle(page: Page) {
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
}

/** Walks from the overview through all kinds of pages. */
async function eachPage(page: Page, look: (path: string) => Promise<void>): Promise<string[]> {
  const waiting = ["/console/overview", "/console/help"];
  const kinds = new Set(waiting.map(kindOf));
  const seen: string[] = [];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    await page.goto(path);
    await settle(page);
    seen.push(path);
    await look(path);
    for (const next of await linksOf(page))
      if (!kinds.has(kindOf(next)) && seen.length + waiting.length < PAGES_MAX) {
        kinds.add(kindOf(next));
        waiting.push(next);
      }
  }
  return seen;
}

test.use({ expectedComplaints: /Content Security Policy|sandboxed|WebAuthn/ });
test.setTimeout(900_000);

test("every page can be used by everybody, and fits every screen", async ({ page, signIn }) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await fill(company);
  const faults: unknown[] = [];
  const seen = await eachPage(page, async (path) => {
    const found = await faultsOf(page, ALL_LOOKS);
    if ((await page.getByText("There is no such page").count()) > 0) found.push("is not there");
    for (const width of MORE_WIDTHS) found.push(...(await overflowOf(page, width)));
    if (found.length > 0) faults.push([path, ...found]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  expect(faults).toEqual([]);
  // The walk has not ended at the first door, and has not been cut short.
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.length).toBeLessThan(PAGES_MAX);
});
