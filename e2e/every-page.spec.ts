import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";

import { expect, test } from "./mail-server.ts";
import { someRequests, someSuppressions } from "./seed-developer.ts";
import { aCheckedDomain } from "./seed-domains.ts";
import { manyMailboxes } from "./seed-mailboxes.ts";
import { heldMessages } from "./seed-quarantine.ts";
import { webhooksInEveryState } from "./seed-webhooks.ts";
import { anEmailWithHistory, manyEmails } from "./seed.ts";

// Every page that somebody who may everything can get to: those of the navigation, and the first of each
// kind that these lead to. A new page is tried by being linked.

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 380, height: 800 };
const WIDTHS = [380, 768, 1920];

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
  await someRequests(companyId, 12, null);
  await someSuppressions(companyId, 12);
}

/** Pages that differ in nothing but what they are about are of one kind. */
const kindOf = (path: string) =>
  path
    .replace(/\?.*/, "")
    .replace(/\/[^/]*(@|%40|[0-9a-f]{8}-)[^/]*/gi, "/*")
    .replace(/\/operate\/companies\/[^/]+/, "/operate/companies/*");

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
  const waiting = ["/console/overview"];
  const kinds = new Set(waiting.map(kindOf));
  const seen: string[] = [];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    await page.setViewportSize(DESK);
    await page.goto(path);
    await settle(page);
    seen.push(path);
    for (const next of await linksOf(page))
      if (!kinds.has(kindOf(next)) && seen.length + waiting.length < PAGES_MAX) {
        kinds.add(kindOf(next));
        waiting.push(next);
      }
    await look(path);
  }
  return seen;
}

async function violationsOf(page: Page) {
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
}

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

for (const colorScheme of ["light", "dark"] as const)
  test.describe(colorScheme, () => {
    test.use({
      colorScheme,
      expectedComplaints: /Content Security Policy|sandboxed|WebAuthn/,
      contextOptions: { reducedMotion: "reduce" },
    });
    test.setTimeout(900_000);

    test("every page can be used by everybody, and fits every screen", async ({ page, signIn }) => {
      const company = await signIn({ isOwner: true });
      await makeOperator(company.email);
      await fill(company);
      const faults: unknown[] = [];
      const seen = await eachPage(page, async (path) => {
        const note = (what: unknown[]) => what.length > 0 && faults.push([path, ...what]);
        if ((await page.getByText("There is no such page").count()) > 0) note(["is not there"]);
        for (const viewport of [DESK, PHONE]) {
          await page.setViewportSize(viewport);
          await settle(page);
          note(await violationsOf(page));
        }
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          const found = await widthOf(page);
          if (found > width) note([`is ${found} px wide on ${width}`]);
        }
      });
      expect(faults).toEqual([]);
      // The walk has not ended at the first door.
      expect(seen.length).toBeGreaterThan(40);
    });
  });
