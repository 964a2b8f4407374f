import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { anAdmin, anApiKey } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";

test("renames the company, restricts API keys to addresses, and shortens sessions", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["manage_settings"] });
  await anApiKey(companyId);
  await page.goto("/console/settings");
  await expect(page.getByRole("tab", { name: "Sessions" })).toBeHidden();
  await page.getByLabel("Name", { exact: true }).fill("Northwind & Sons");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Company name saved")).toBeVisible();
  await page.getByRole("switch", { name: "Greylisting" }).press("Space");
  await page.getByRole("radio", { name: "Reject spam" }).click();
  const bar = page.getByRole("group", { name: "Unsaved changes" });
  await expect(bar).toContainText("Turn on greylisting for 0 mailboxes");
  await bar.getByRole("button", { name: "Review" }).click();
  const review = page.getByRole("dialog", { name: "Review changes" });
  await expect(review.getByRole("listitem").nth(1)).toHaveText(/^Reject spam from/);
  await expectNoPageFaults(page);
  await review.getByRole("button", { name: "Keep editing" }).click();
  await expectNoPageFaults(page);
  await page.reload();
  await expect(bar).toContainText("and 1 more change");
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Mail filtering saved")).toBeVisible();
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole("switch", { name: "Greylisting" })).toBeChecked();

  await page.getByRole("tab", { name: "Access" }).click();
  const keys = page.getByRole("region", { name: "IP allow-list for API keys" });
  const list = page.getByLabel("Allowed IP addresses");
  await list.fill("192.0.2.9/24\nnonsense");
  await keys.getByRole("button", { name: "Save allow-list" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save allow-list" }).click();
  await expect(page.getByText("is neither an IP address nor a CIDR range")).toBeVisible();
  await expect(list).toHaveValue("192.0.2.9/24\nnonsense");
  await list.fill("192.0.2.9/24");
  await keys.getByRole("button", { name: "Save allow-list" }).click();
  await expect(page.getByRole("dialog").getByText("1 API key will stop working")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Save allow-list" }).click();
  await expect(page.getByText("Allow-list saved")).toBeVisible();
  await expect(list).toHaveValue("192.0.2.0/24");

  await page.getByLabel("Hours").fill("8");
  await expect(bar).toContainText("Sign out 2 admins 8 hours after they sign in");
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Sessions now last 8 hours")).toBeVisible();
  await expect(page.getByText("You don’t have a second factor")).toBeVisible();

  await page.getByRole("tab", { name: "Usage" }).click();
  await expect(
    page.getByRole("meter", { name: "Recipients in the last 60 minutes" }),
  ).toBeVisible();
});

test("saving takes until the page has the new settings", async ({ page, signIn }) => {
  await signIn({ privileges: ["manage_settings"] });
  await page.goto("/console/settings");
  await page.getByRole("switch", { name: "Greylisting" }).press("Space");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/settings/get*", async (route) => {
    await released;
    await route.continue();
  });
  const bar = page.getByRole("group", { name: "Unsaved changes" });
  const save = bar.getByRole("button", { name: "Save" });
  const refetch = page.waitForRequest("**/api/settings/get*");
  await save.click();
  await refetch;
  await expect(save).toHaveAttribute("aria-busy", "true");
  await expect(page.getByText("Mail filtering saved")).toBeHidden();
  release();
  await expect(page.getByText("Mail filtering saved")).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test("admins with manage_admins end other admins' sessions", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["manage_settings", "manage_admins"] });
  const colleague = await anAdmin(companyId, { email: `ben+${companyId}@example.com` });
  await startSession(db(), colleague.id, { clientAddress: "192.0.2.7", userAgent: null });
  await page.goto("/console/settings?tab=sessions");
  await page.getByRole("button", { name: `End session of ${colleague.email}` }).click();
  await expect(page.getByText(colleague.email)).toBeHidden();
});

test("explains which privilege is missing", async ({ page, signIn }) => {
  await signIn({ privileges: ["api_controls"] });
  await page.goto("/console/settings");
  await expect(page.getByText("You don’t have access to the settings")).toBeVisible();
});
