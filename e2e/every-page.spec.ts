import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";

import { visitEveryPage, seedEveryPage, PAGES_MAX } from "./visit-every-page.ts";
import { ALL_APPEARANCES, findPageFaults, findOverflow } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";
import { companyDomain } from "./seed-mailboxes.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";

// Every page that an owner who is also an operator can reach: those in the navigation, and the first of each
// kind linked from them. New pages are covered once they are linked.

/** Widths between and beyond the standard ones. */
const MORE_WIDTHS = [768, 1920];

/** Compressed size of all scripts of a page's first load, including charts and rows. */
const BYTES_MAX = 200_000;

test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed|WebAuthn/ });
// Takes minutes even on an idle machine.
test.setTimeout(1_800_000);

test("every page is accessible, fits every screen, and loads few scripts", async ({
  page,
  signIn,
}) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await seedEveryPage(company);
  await seedEmailsByDay(await companyDomain(company.companyId), { days: 14, perDay: 10 });
  const faults: unknown[] = [];
  const sizes: [path: string, bytes: number][] = [];
  const seen = await visitEveryPage(page, async (path) => {
    sizes.push([path, await scriptBytes(page)]);
    const found = await findPageFaults(page, ALL_APPEARANCES);
    if ((await page.getByText("Page not found").count()) > 0) found.push("is not found");
    for (const width of MORE_WIDTHS) found.push(...(await findOverflow(page, width)));
    if (found.length > 0) faults.push([path, ...found]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  expect(faults).toEqual([]);
  expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
  // The measurement found scripts, and the walk reached pages with charts.
  expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(BYTES_MAX / 4);
  expect(seen).toEqual(expect.arrayContaining(["/console/overview", "/console/metrics"]));
  // The walk got past the first pages and was not cut off at the limit.
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.length).toBeLessThan(PAGES_MAX);
});

/** The compressed size of the scripts that the open page has loaded. The one for dialogs is fetched at least three seconds later. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = loaded.filter(({ name }) => /\.js(\?|$)/.test(name));
    const firstAt = Math.min(...scripts.map(({ startTime }) => startTime));
    const sizes = new Map(
      scripts
        .filter(({ startTime }) => startTime < firstAt + 3_000)
        .map(({ name, encodedBodySize }) => [name, encodedBodySize]),
    );
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  });
