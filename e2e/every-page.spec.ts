import { makeOperator } from "#server/testing/changed-admins.ts";

import { visitEveryPage, seedEveryPage, PAGES_MAX } from "./visit-every-page.ts";
import { ALL_APPEARANCES, findPageFaults, findOverflow } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";

// Every page that an owner who is also an operator can reach: those in the navigation, and the first of each
// kind linked from them. New pages are covered once they are linked.

/** Widths between and beyond the standard ones. */
const MORE_WIDTHS = [768, 1920];

test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed|WebAuthn/ });
// Takes minutes even on an idle machine.
test.setTimeout(1_800_000);

test("every page is accessible and fits every screen", async ({ page, signIn }) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await seedEveryPage(company);
  const faults: unknown[] = [];
  const seen = await visitEveryPage(page, async (path) => {
    const found = await findPageFaults(page, ALL_APPEARANCES);
    if ((await page.getByText("Page not found").count()) > 0) found.push("is not found");
    for (const width of MORE_WIDTHS) found.push(...(await findOverflow(page, width)));
    if (found.length > 0) faults.push([path, ...found]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  expect(faults).toEqual([]);
  // The walk got past the first pages and was not cut off at the limit.
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.length).toBeLessThan(PAGES_MAX);
});
