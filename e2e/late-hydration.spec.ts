import type { Page } from "@playwright/test";

import { expect, test } from "./fixtures.ts";

// The server renders a page, and the browser hydrates it when all its scripts have loaded. A part that hydrated
// later would see what the shell has loaded or opened meanwhile, which the server's HTML lacks.

const PAGES = [
  "overview",
  "emails",
  "metrics",
  "templates",
  "receiving",
  "suppressions",
  "api-keys",
  "webhooks",
  "logs",
  "mailboxes",
  "groups",
  "units",
  "quarantine",
  "domains",
  "deleted",
  "team",
  "audit",
  "settings",
  "profile",
];

/** Lists by day, which the browser requests when the scripts have loaded: the server doesn't know the reader's time zone. */
const BY_DAY = ["audit?from=2026-03-04", "emails?from=2026-03-04"];

test("a page's data is requested while its scripts load, and only once", async ({
  page,
  signIn,
}) => {
  await signIn({ isOwner: true });
  let requested: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/console/api/")) requested.push(pathname);
  });
  for (const name of [...PAGES, ...BY_DAY]) {
    requested = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\.js$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`/console/${name}`, { waitUntil: "commit" });
    const least = BY_DAY.includes(name) ? 1 : 2;
    await expect.poll(() => requested.length, name).toBeGreaterThanOrEqual(least);
    const early = [...requested];
    release();
    await expect(page.getByRole("link", { name: "Audit log", exact: true })).toBeVisible();
    await page.waitForLoadState("networkidle");
    const repeated = early.filter((path) => requested.filter((each) => each === path).length > 1);
    expect.soft(repeated, name).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  }
});

/** Opens a page and returns the URLs of the scripts it loaded. */
async function loadedScripts(page: Page, path: string): Promise<string[]> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.waitForLoadState("networkidle");
  return page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".js")),
  );
}

test.use({
  expectedConsoleErrors: /status of 5\d\d/,
  timezoneId: "Pacific/Kiritimati",
  locale: "de-DE",
});
test.setTimeout(300_000);

test("a page whose scripts load late hydrates at once, without changing what the server rendered", async ({
  page,
  signIn,
}) => {
  await signIn({ isOwner: true });
  await page.addInitScript(() => localStorage.setItem("mantine-color-scheme-value", "dark"));
  const scripts = new Map<string, string[]>();
  for (const name of PAGES) scripts.set(name, await loadedScripts(page, `/console/${name}`));
  const uses = Map.groupBy([...scripts.values()].flat(), (script) => script);
  for (const [name, loaded] of scripts) {
    const path = `/console/${name}`;
    // The shell needs some of those that several pages load.
    const own = loaded.filter((script) => uses.get(script)!.length === 1);
    expect(own, path).not.toEqual([]);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(
      (url) => own.includes(url.href),
      async (route) => {
        await released;
        await route.continue();
      },
    );
    await page.goto(path, { waitUntil: "commit" });
    await page.waitForFunction(
      (names) => names.every((name) => performance.getEntriesByName(name).length > 0),
      loaded.filter((script) => !own.includes(script)),
    );
    await expect(page.getByRole("link", { name: "Audit log", exact: true })).toBeHidden();
    release();
    await expect(page.getByRole("link", { name: "Audit log", exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.unrouteAll({ behavior: "wait" });
  }
});

test("the CSV of a list has the reader's days", async ({ page, signIn }) => {
  await signIn({ isOwner: true });
  await page.goto("/console/emails?from=2026-03-04");
  const link = page.getByRole("link", { name: "Download CSV" });
  await expect(link).toHaveAttribute("href", /from=2026-03-03T10%3A00/);
});
