import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";

test("the API reference is accessible and fits the screen", async ({ page }) => {
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: "Send an email" })).toBeVisible();
  await expectNoPageFaults(page);
});

test("an endpoint can be found with the keyboard alone", async ({ page }) => {
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

test("choosing a language applies to all samples", async ({ page }) => {
  await page.goto("/docs");
  const samples = page.getByRole("group", { name: "Request" });
  await samples.first().getByRole("radio", { name: "Node.js" }).check();
  const code = samples.nth(1).getByRole("group", { name: "Node.js" });
  await expect(code).toContainText("new Resend(");
  await expect(samples.nth(1).getByRole("group", { name: "curl" })).toBeHidden();
});

test("all samples use the reader's domain, also after a reload", async ({ page }) => {
  await page.goto("/docs");
  await page.getByRole("textbox", { name: "Your domain in all samples" }).fill("mine.example");
  await page.reload();
  const code = page.getByRole("group", { name: "Request" }).first().getByRole("group");
  await expect(code.first()).toContainText("hello@mine.example");
  await expect(page.getByText("hello@shop.example")).toHaveCount(0);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("all content is visible", async ({ page }) => {
    await page.goto("/docs");
    await expect(page.getByRole("heading", { name: "Send an email" })).toBeVisible();
    await page.getByRole("radio", { name: "Node.js" }).first().check();
    await expect(page.getByText("new Resend(").first()).toBeVisible();
  });
});
