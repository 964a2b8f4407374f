import { expect, type Page } from "@playwright/test";

import { anApiKey } from "#server/testing/factories.ts";
import { aReceivedEmail } from "#server/testing/received-emails.ts";

import { deletedItemsOfEachKind } from "./deleted-shots.ts";
import { seedRequests, seedSuppressions } from "./seed-developer.ts";
import { aCheckedDomain } from "./seed-domains.ts";
import { manyMailboxes } from "./seed-mailboxes.ts";
import { quarantinedMessages } from "./seed-quarantine.ts";
import { templatesInEveryState } from "./seed-templates.ts";
import { webhooksInEveryState } from "./seed-webhooks.ts";
import { seedEmailWithHistory, seedEmails } from "./seed.ts";

/** An upper limit that stops endless walks. */
export const PAGES_MAX = 90;

type Company = { companyId: string; domain: string };

/** Creates one of every kind of object that has a page. */
export async function seedEveryPage(company: Company) {
  const { companyId } = company;
  await seedEmails(company, 25);
  await seedEmailWithHistory(company);
  await manyMailboxes(companyId, 12);
  await quarantinedMessages(companyId);
  await deletedItemsOfEachKind(companyId);
  await templatesInEveryState(company);
  await webhooksInEveryState(companyId);
  await aCheckedDomain(companyId, `every-${companyId}.example`);
  await seedRequests(companyId, 12, (await anApiKey(companyId)).id);
  await seedSuppressions(companyId, 12);
  await aReceivedEmail({ companyId, name: company.domain });
}

/** Pages whose URLs differ only in IDs are of the same kind. */
const pageKind = (path: string) =>
  path.replace(/\?.*/, "").replace(/\/[^/]*(@|%40|[0-9a-f]{8})[^/]*/gi, "/*");

/** Links to other console pages, except those that trigger an action. */
const consoleLinks = (page: Page) =>
  page
    .locator("#content a[href^='/console/']:not([download]), nav a[href^='/console/']")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")!))
    .then((paths) => paths.map((path) => path.replace(/[?#].*/, "")));

async function waitUntilLoaded(page: Page) {
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await expect(page.locator(".mantine-Skeleton-root, [data-skeleton]")).toHaveCount(0);
}

/** Follows links from the overview and calls `visit` once for every kind of page, with its data loaded. */
export async function visitEveryPage(
  page: Page,
  visit: (path: string) => Promise<void>,
  { withHelp = true } = {},
): Promise<string[]> {
  const waiting = ["/console/overview", ...(withHelp ? ["/console/help"] : [])];
  const kinds = new Set(waiting.map(pageKind));
  const seen: string[] = [];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    await page.goto(path);
    await waitUntilLoaded(page);
    seen.push(path);
    await visit(path);
    // Help pages link to pages that the admin may not have access to.
    if (path.startsWith("/console/help") && !withHelp) continue;
    for (const next of await consoleLinks(page))
      if (!kinds.has(pageKind(next)) && seen.length + waiting.length < PAGES_MAX) {
        kinds.add(pageKind(next));
        waiting.push(next);
      }
  }
  return seen;
}
