import { readFile } from "node:fs/promises";

import { someAudit } from "#server/testing/a-team.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoFaults } from "./looks.ts";

test("what was changed is told in words, filtered by what the URL keeps, and opens in place", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await page.goto("/console/audit");
  await expect(page.getByRole("heading", { name: "Nothing has been changed yet" })).toBeVisible();
  await someAudit(companyId);
  await page.reload();
  const entries = page.getByRole("list", { name: "Changes, newest first" }).getByRole("listitem");
  await expect(entries).toHaveCount(6);
  const quota = entries.filter({ hasText: "changed the size of ben@northwind.example" });
  await expect(quota).toContainText("ann@northwind.example");
  await expect(quota).toContainText("from 5 GB to 10 GB");
  await quota.getByRole("button").first().click();
  await expect(quota.getByText('"quotaMb"')).toBeVisible();
  await quota.getByRole("link", { name: "Only by ann@northwind.example" }).click();
  await expect(entries).toHaveCount(2);
  await page.getByRole("link", { name: /^By ann/ }).click();
  await page.getByRole("link", { name: "API keys" }).last().click();
  await expect(entries).toHaveCount(1);
  await expect(page).toHaveURL(/actor_kind=api_key/);
  await page.reload();
  await expect(entries).toHaveCount(1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "What it is about" }).selectOption("Domains");
  await expect(entries).toHaveCount(1);
  await page.getByRole("searchbox", { name: "Search the audit log" }).fill("nothing like it");
  await expect(page.getByText("No entry fits.")).toBeVisible();
});

test("a long log is paged and taken away whole", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await someAudit(companyId, 1_200);
  await page.goto("/console/audit");
  await page.getByRole("link", { name: "Older" }).click();
  await expect(page).toHaveURL(/after=/);
  const exportAs = async (format: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: `As ${format}` }).click(),
    ]);
    return readFile(await download.path(), "utf8");
  };
  const all = JSON.parse(await exportAs("JSON")) as { sentence: string }[];
  expect(all).toHaveLength(1_206);
  const lines = (await exportAs("CSV")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(1_207);
  expect(lines[0]).toBe("created_at,actor,actor_kind,action,sentence,details,id");
});

test("everybody can read the audit log", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_audit"] });
  await someAudit(companyId);
  await page.goto("/console/audit");
  await page.getByRole("list", { name: "Changes" }).getByRole("button").first().click();
  await expectNoFaults(page);
});
