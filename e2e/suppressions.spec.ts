import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aSuppression } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { seedSuppressions, suppressionRows } from "./seed-developer.ts";

const count = async (companyId: string) => (await suppressionRows(companyId)).length;

const chooseFile = (page: Page, content: string) =>
  page
    .getByLabel("File with addresses")
    .setInputFiles({ name: "left.csv", mimeType: "text/csv", buffer: Buffer.from(content) });

test("adding pasted addresses shows a result for each", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await page.goto("/console/suppressions");
  await expect(page.getByRole("heading", { name: "No suppressions yet" })).toBeVisible();
  await page.getByRole("tab", { name: "Node.js" }).click();
  await expect(page.getByText("await fetch(")).toBeVisible();
  await aSuppression(companyId, { email: "ben@example.org", origin: "bounce" });

  await page.getByRole("button", { name: "Add suppressions" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add suppressions" }).click();
  await expect(dialog.getByText("Enter at least one address")).toBeVisible();
  await dialog.getByLabel("Addresses").fill("Ann@Example.org\nnot-an-address, ben@example.org");
  await dialog.getByRole("button", { name: "Add suppressions" }).click();
  await expect(dialog.getByText("1 of 3 added, 1 invalid")).toBeVisible();
  await expect(dialog.getByRole("listitem").nth(0)).toContainText("ann@example.orgAdded");
  await expect(dialog.getByRole("listitem").nth(1)).toContainText("Invalid address");
  await expect(dialog.getByRole("listitem").nth(2)).toContainText("Already suppressed");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("row", { name: /ann@example.org.*Added manually/ })).toBeVisible();
});

test("the list can be searched and filtered, and removals can be undone", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await seedSuppressions(companyId, 45);
  await page.goto("/console/suppressions");
  const rows = page.getByRole("table").getByRole("row");
  await expect(rows).toHaveCount(21);
  await page.getByRole("searchbox").fill("REYES");
  await expect(page).toHaveURL(/search=REYES/);
  await expect(rows).toHaveCount(9);
  await page.getByRole("link", { name: "Complained" }).click();
  await expect(page).toHaveURL(/origin=complaint&search=REYES|search=REYES&origin=complaint/);
  await page.reload();
  await expect(rows.nth(1)).toContainText("Complained");
  await page.getByRole("searchbox").fill("nowhere");
  await expect(page.getByText("No matching suppressions")).toBeVisible();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(21);

  const before = await suppressionRows(companyId);
  const email = before.find(({ origin }) => origin === "bounce")!.email;
  await page.getByRole("button", { name: `Remove ${email}` }).click();
  await expect(page.getByText(`${email} removed from the suppression list`)).toBeVisible();
  expect(await count(companyId)).toBe(44);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText(`${email} suppressed again`)).toBeVisible();
  // Rows that change after the click wouldn't be selected.
  await expect(page.getByText("1–20 of 45")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Remove from list" }).click();
  await expect(page.getByText("20 addresses removed from the suppression list")).toBeVisible();
  expect(await count(companyId)).toBe(25);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByText("20 addresses suppressed again")).toBeVisible();
  await expect(page.getByText("1–20 of 45")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 45 addresses" }).click();
  await expect(page.getByText("45 addresses selected")).toBeVisible();
  await page.getByRole("button", { name: "Remove from list" }).click();
  await expect(page.getByText("45 addresses removed from the suppression list")).toBeVisible();
  expect(await count(companyId)).toBe(0);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByText("45 addresses suppressed again")).toBeVisible();
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  expect((await suppressionRows(companyId)).sort(byId)).toEqual(before.sort(byId));
});

test("the CSV has all matching suppressions and contains no formulas", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await db()
    .insert(suppressions)
    .values(
      Array.from({ length: 5_200 }, (_, i) => ({
        companyId,
        email: `p${i}@example.org`,
        origin: "manual" as const,
      })),
    );
  await aSuppression(companyId, { email: "=cmd@example.org", origin: "bounce" });
  await aSuppression(companyId, { email: "other@example.net" });
  await page.goto("/console/suppressions?search=example.org");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  const lines = file.replace("\uFEFF", "").trim().split("\r\n");
  expect(lines[0]).toBe("email,origin,source_email_id,created_at");
  expect(lines).toHaveLength(5_202);
  expect(lines[1]).toMatch(/^"?'=cmd@example.org"?,bounce,,20/);
  expect(file).not.toContain("other@example.net");
});

test.describe("on an unreliable network", () => {
  test.use({ expectedConsoleErrors: /ERR_FAILED/ });

  test("a file is checked, then imported, despite lost requests", async ({ page, signIn }) => {
    const { companyId } = await signIn();
    await aSuppression(companyId, { email: "p7@example.org", origin: "bounce" });
    const good = Array.from({ length: 5_000 }, (_, i) => `x,p${i}@example.org,Hard bounce`);
    const file = [
      "id,Email,Reason",
      ...good,
      "x,not-an-address",
      "x,P1@example.org",
      "x,=1+1",
      "",
    ].join("\n");
    let requests = 0;
    await page.route("**/console/api/suppressions/{checkList,importList}", async (route) => {
      requests += 1;
      // Lose the second batch of each stage once: of the first stage before the server gets it, then after.
      if (requests === 2) return route.abort();
      if (requests === 6) {
        await route.fetch();
        return route.abort();
      }
      const answer = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return route.fulfill({ response: answer });
    });
    await page.goto("/console/suppressions/import");
    await chooseFile(page, file);
    await expect(page.getByRole("progressbar", { name: "Import progress" })).toBeVisible();
    const error = page.getByText("Can’t reach the server");
    await expect(error).toBeVisible();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("left.csv has 5,003 addresses. Format: CSV.")).toBeVisible();
    await expect(page.getByText("New addresses by reason: Bounced 4,999.")).toBeVisible();
    const expectCount = (name: string, number: string) =>
      expect(page.locator("dl > div").filter({ hasText: name })).toContainText(number);
    await expectCount("New", "4,999");
    await expectCount("Already suppressed", "1");
    await expectCount("Duplicates", "1");
    await expectCount("Invalid", "2");
    await expect(page.getByText("Line 5002")).toBeVisible();
    expect(await count(companyId)).toBe(1);

    await page.getByRole("button", { name: "Import 4,999 addresses" }).click();
    await expect(error).toBeVisible();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("Import complete: 4,999 addresses added")).toBeVisible();
    expect(await count(companyId)).toBe(5_000);
    const origins = (await suppressionRows(companyId)).map(({ origin }) => origin);
    expect(new Set(origins)).toEqual(new Set(["bounce"]));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download invalid lines" }).click();
    const invalid = await readFile(await (await download).path(), "utf8");
    expect(invalid.replace("\uFEFF", "").trim().split("\r\n")).toEqual([
      "email,line,error",
      "not-an-address,5002,Not a valid email address",
      `"'=1+1",5004,Not a valid email address`,
    ]);
  });
});

test("an import that was canceled shows no error when its last request fails", async ({
  page,
  signIn,
}) => {
  await signIn();
  let fail = () => {};
  const canceled = new Promise<void>((resolve) => (fail = resolve));
  await page.route("**/console/api/suppressions/checkList", async (route) => {
    await canceled;
    await route.fulfill({ status: 422, json: { name: "invalid", message: "Too late" } });
  });
  await page.goto("/console/suppressions/import");
  await chooseFile(page, "ben@example.org");
  await page.getByRole("button", { name: "Cancel" }).click();
  const answered = page.waitForResponse("**/console/api/suppressions/checkList");
  fail();
  await answered;
  await expect(page.getByRole("button", { name: "Choose file" })).toBeVisible();
  await expect(page.getByText("The file can’t be read")).toBeHidden();
});

test("a file of 100,000 lines does not freeze the page", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await page.goto("/console/suppressions/import");
  await page.evaluate(() => {
    const gaps = { longest: 0, last: performance.now() };
    Object.assign(window, { gaps });
    setInterval(() => {
      const now = performance.now();
      gaps.longest = Math.max(gaps.longest, now - gaps.last);
      gaps.last = now;
    }, 10);
  });
  await chooseFile(page, Array.from({ length: 100_001 }, (_, i) => `p${i}@example.org`).join("\n"));
  await expect(page.getByText("Only the first 100,000 lines were read")).toBeVisible();
  await page.getByRole("button", { name: "Import 100,000 addresses" }).click();
  await expect(page.getByText("Import complete: 100,000 addresses added")).toBeVisible({
    timeout: 60_000,
  });
  expect(await count(companyId)).toBe(100_000);
  const longest = await page.evaluate(
    () => (window as never as { gaps: { longest: number } }).gaps,
  );
  test.info().annotations.push({ type: "longest pause, ms", description: String(longest.longest) });
});
