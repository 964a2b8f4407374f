import { globSync } from "node:fs";

import { PRIVILEGES } from "#server/core/privileges.ts";

import { eachPage, fill } from "./each-page.ts";
import { expect, test } from "./mail-server.ts";

// Every page that is about nothing in particular, to somebody who may nothing.

const FOLDER = "app/console/(pages)/";

/** For everybody, or part of nobody's rights. */
const FOR_ALL = ["overview", "help", "you"];

const PAGES = globSync(`${FOLDER}**/page.tsx`, { cwd: new URL("..", import.meta.url).pathname })
  .map((file) => file.slice(FOLDER.length, -"/page.tsx".length))
  .filter((path) => !path.includes("[") && !FOR_ALL.includes(path));

test("who may nothing is told so on every page, and is given nothing to press", async ({
  page,
  signIn,
}) => {
  await signIn({ privileges: [] });
  expect(PAGES.length).toBeGreaterThan(25);
  const faults: unknown[] = [];
  for (const path of PAGES) {
    await page.goto(`/console/${path}`);
    const content = page.locator("#content");
    await content
      .getByText(/^You may not/)
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(() => faults.push([path, "says nothing"]));
    const dead = await content
      .locator("input, textarea, select, button, a.mantine-Button-root")
      .evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent));
    if (dead.length > 0) faults.push([path, ...dead]);
  }
  expect(faults).toEqual([]);
});

for (const privilege of PRIVILEGES)
  test(`where pages lead, something can be seen with nothing but ${privilege}`, async ({
    page,
    signIn,
  }) => {
    await fill(await signIn({ privileges: [privilege] }));
    const refused: unknown[] = [];
    page.on("response", (answer) => {
      const [at, asked] = [page.url(), answer.url()].map((url) => new URL(url).pathname);
      if (answer.status() >= 400) refused.push([at, asked, answer.status()]);
    });
    await eachPage(page, () => Promise.resolve(), { withHelp: false });
    expect(refused).toEqual([]);
  });
