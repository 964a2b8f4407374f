import type { Page } from "@playwright/test";

import { makeOperator } from "#server/testing/changed-admins.ts";

import { eachPage, fill } from "./each-page.ts";
// The list of mailboxes asks the mail server.
import { expect, test } from "./mail-server.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";
import { domainOf } from "./seed-mailboxes.ts";

/** Of scripts, as they come over the wire. */
const BYTES_MAX = 250_000;

test.use({ expectedComplaints: /Content Security Policy|sandboxed|WebAuthn/ });
test.setTimeout(600_000);

test("who opens any page first loads little, its charts and rows included", async ({
  page,
  signIn,
}) => {
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
  // Something was counted, of the pages with charts and long lists too.
  expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(BYTES_MAX / 4);
  expect(seen).toEqual(expect.arrayContaining(["/console/overview", "/console/metrics"]));
});

/** What the page's scripts are, as they come over the wire to a browser that has none of them. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = new Map(
      loaded.filter(({ name }) => /\.js(\?|$)/.test(name)).map((each) => [each.name, each]),
    );
    return [...scripts.values()].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
