import { expect, test } from "./fixtures.ts";
import { expectNoFaults } from "./looks.ts";

test("the API reference can be read by everybody, and fits", async ({ page }) => {
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: "Send an email" })).toBeVisible();
  await expectNoFaults(page);
});

test("an endpoint is found by its words with the keyboard alone", async ({ page }) => {
  await page.goto("/docs");
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Find an endpoint" })).toBeFocused();
  await page.keyboard.type("suppress batch add");
  const contents = page.getByRole("navigation", { name: "Contents" });
  await expect(contents.getByRole("listitem")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#postSuppressionsBatchAdd$/);
  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByRole("status")).toHaveText("No matching endpoints");
});

test("the choice of a language holds for all examples", async ({ page }) => {
  await page.goto("/docs");
  const samples = page.getByRole("group", { name: "Request" });
  await samples.first().getByRole("radio", { name: "Node.js" }).check();
  const code = samples.nth(1).getByRole("group", { name: "Node.js" });
  await expect(code).toContainText("new Resend(");
  await expect(samples.nth(1).getByRole("group", { name: "curl" })).toBeHidden();
});

test.describe("without a script", () => {
  test.use({ javaScriptEnabled: false });

  test("everything can be read", async ({ page }) => {
    await page.goto("/docs");
    await expect(page.getByRole("heading", { name: "Send an email" })).toBeVisible();
    await page.getByRole("radio", { name: "Node.js" }).first().check();
    await expect(page.getByText("new Resend(").first()).toBeVisible();
  });
});
