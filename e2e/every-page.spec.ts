import { makeOperator } from "#server/testing/changed-admins.ts";

import { eachPage, fill, PAGES_MAX } from "./each-page.ts";
import { ALL_LOOKS, faultsOf, overflowOf } from "./looks.ts";
import { expect, test } from "./mail-server.ts";

// Every page that an owner who is also an operator can reach: those in the navigation, and the first of each
// kind linked from them. New pages are covered once they are linked.

/** Widths between and beyond the standard ones. */
const MORE_WIDTHS = [768, 1920];

test.use({ expectedComplaints: /Content Security Policy|sandboxed|WebAuthn/ });
// Takes minutes even on an otherwise idle machine.
test.setTimeout(1_800_000);

test("every page is accessible and fits every screen", async ({ page, signIn }) => {
  const company = await signIn({ isOwner: true });
  await makeOperator(company.email);
  await fill(company);
  const faults: unknown[] = [];
  const seen = await eachPage(page, async (path) => {
    const found = await faultsOf(page, ALL_LOOKS);
    if ((await page.getByText("Page not found").count()) > 0) found.push("is not there");
    for (const width of MORE_WIDTHS) found.push(...(await overflowOf(page, width)));
    if (found.length > 0) faults.push([path, ...found]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  expect(faults).toEqual([]);
  // The walk went past the first page and was not cut short.
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.length).toBeLessThan(PAGES_MAX);
});
