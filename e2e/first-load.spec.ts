import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";

import { visitEveryPage, seedEveryPage } from "./visit-every-page.ts";
// The mailbox list needs the mail server.
import { expect, test } from "./mail-server.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";
import { companyDomain } from "./seed-mailboxes.ts";

/** Compressed size of all scripts. */
const BYTES_MAX = 250_000;

test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed|WebAuthn/ });
test.setTimeout(600_000);

test("the first load of any page is small, including charts and rows", async ({ page, signIn }) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await seedEveryPage(company);
  await seedEmailsByDay(await companyDomain(company.companyId), { days: 14, perDay: 10 });

  const sizes: [path: string, bytes: number][] = [];
  const seen = await visitEveryPage(
    page,
    async (path) => void sizes.push([path, await scriptBytes(page)]),
  );
  expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
  // The measurement found scripts, and the walk reached pages with charts.
  expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(BYTES_MAX / 4);
  expect(seen).toEqual(expect.arrayContaining(["/console/overview", "/console/metrics"]));
});

/** The compressed size of the scripts that the open page has loaded. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = new Map(
      loaded.filter(({ name }) => /\.js(\?|$)/.test(name)).map((each) => [each.name, each]),
    );
    return [...scripts.values()].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
