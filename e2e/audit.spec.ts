import { readFile } from "node:fs/promises";

import { someAudit } from "#server/testing/a-team.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";

test("audit entries are described, filtered through the URL and expanded in place", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await page.goto("/console/audit");
  await expect(page.getByRole("heading", { name: "No changes yet" })).toBeVisible();
  await someAudit(companyId);
  await page.reload();
  const entries = page.getByRole("list", { name: "Audit log entries" }).getByRole("listitem");
  await expect(entries).toHaveCount(6);
  const quota = entries.filter({ hasText: "changed the storage limit of ben@northwind.example" });
  await expect(quota).toContainText("ann@northwind.example");
  await expect(quota).toContainText("from 5 GB to 10 GB");
  await quota.getByRole("button").first().click();
  await expect(quota.getByText('"quotaMb"')).toBeVisible();
  await quota.getByRole("link", { name: "Show only changes by ann@northwind.example" }).click();
  await expect(entries).toHaveCount(2);
  await page.getByRole("link", { name: /^By ann/ }).click();
  await page.getByRole("link", { name: "API keys" }).last().click();
  await expect(entries).toHaveCount(1);
  await expect(page).toHaveURL(/actorKind=api_key/);
  await page.reload();
  await expect(entries).toHaveCount(1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "Area" }).selectOption("Domains");
  await expect(entries).toHaveCount(1);
  await page.getByRole("searchbox", { name: "Search the audit log" }).fill("nothing like it");
  await expect(page.getByText("No matching entries")).toBeVisible();
});

test("a long log is paged and exported whole", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await someAudit(companyId, 1_200);
  await page.goto("/console/audit");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL(/after=/);
  const exportAs = async (format: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: `Export as ${format}` }).click(),
    ]);
    return readFile(await download.path(), "utf8");
  };
  const all = JSON.parse(await exportAs("JSON")) as { description: string }[];
  expect(all).toHaveLength(1_206);
  await page.getByRole("button", { name: "Export" }).click();
  await expect(page.getByRole("menuitem", { name: "Export as CSV" })).toBeFocused();
  await expectNoPageFaults(page);
  await page.keyboard.press("Escape");
  const lines = (await exportAs("CSV")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(1_207);
  expect(lines[0]).toBe("\uFEFFcreated_at,actor,actor_kind,action,description,details,id");
});

test("the audit log passes the accessibility checks", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await someAudit(companyId);
  await page.goto("/console/audit");
  await page.getByRole("list", { name: "Audit log entries" }).getByRole("button").first().click();
  await expectNoPageFaults(page);
});
