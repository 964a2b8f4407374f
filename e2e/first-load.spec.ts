import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";

import { eachPage, fill } from "./each-page.ts";
// The list of mailboxes needs the mail server.
import { expect, test } from "./mail-server.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";
import { domainOf } from "./seed-mailboxes.ts";

/** Bytes of scripts transferred. */
const BYTES_MAX = 250_000;

test.use({ expectedComplaints: /Content Security Policy|sandboxed|WebAuthn/ });
test.setTimeout(600_000);

test("the first load of any page is small, including charts and rows", async ({ page, signIn }) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await fill(company);
  await seedEmailsByDay(await domainOf(company.companyId), { days: 14, perDay: 10 });

  const sizes: [path: string, bytes: number][] = [];
  const seen = await eachPage(
    page,
    async (path) => void sizes.push([path, await scriptBytes(page)]),
  );
  expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
  // Pages with charts and long lists were measured too.
  expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(BYTES_MAX / 4);
  expect(seen).toEqual(expect.arrayContaining(["/console/overview", "/console/metrics"]));
});

/** Bytes of the page's scripts as transferred to a browser with an empty cache. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = new Map(
      loaded.filter(({ name }) => /\.js(\?|$)/.test(name)).map((each) => [each.name, each]),
    );
    return [...scripts.values()].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
