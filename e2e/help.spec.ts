import { expect, test } from "./fixtures.ts";

test("a page links to its help topic", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/webhooks");
  await page.getByRole("link", { name: "Help: Webhooks" }).click();
  await expect(page).toHaveURL(/\/console\/help\/webhooks$/);
  await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Help", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
});

test("every help topic has a page", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/help");
  const topics = page.getByRole("main").locator('a[href^="/console/help/"]');
  await expect(topics.first()).toBeVisible();
  const hrefs = await topics.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const href of hrefs) {
    await page.goto(href!);
    await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
    await expect(page.getByRole("link", { name: "Help", exact: true })).toBeVisible();
  }
});
