import { requestLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anApiKey } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { seedRequests, seedManyRequests } from "./seed-developer.ts";

test("filters are kept in the URL, and a request's page explains its error", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const key = await anApiKey(companyId);
  await seedRequests(companyId, 24, key.id);
  await page.goto("/console/logs");
  const rows = page.getByRole("table").getByRole("row");
  await expect(rows).toHaveCount(25);

  await page.getByRole("link", { name: "Client error" }).click();
  await expect(page).toHaveURL(/\?status=4xx$/);
  await expect(rows).toHaveCount(13);
  await page.getByRole("combobox", { name: "Method" }).selectOption("POST");
  await expect(rows).toHaveCount(10);
  await page.getByRole("combobox", { name: "API key" }).selectOption("Test key");
  await page.getByRole("searchbox").fill("emails");
  await expect(page).toHaveURL(/endpoint=%2Femails/);
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("Status code").fill("422");
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(4);
  await page.getByLabel("User agent").fill("curl");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No matching requests")).toBeVisible();
  await page.getByLabel("User agent").fill("resend");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/userAgent=resend/);
  await page.reload();
  await expect(rows).toHaveCount(4);

  await rows.nth(1).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "POST /emails" })).toBeVisible();
  const explanation = page.getByRole("region", { name: "What went wrong" });
  await expect(explanation.getByText("validation_error")).toBeVisible();
  await expect(explanation.getByText("Correct what the error message names")).toBeVisible();
  await page.getByRole("link", { name: "Test key" }).click();
  await expect(page).toHaveURL(new RegExp(`/api-keys/${key.id}$`));
  await page.goBack();
  await page.goBack();
  await expect(rows).toHaveCount(4);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(25);
});

test("new requests appear at the top, wait behind a button when scrolled, and pause with Live off", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await page.goto("/console/logs");
  await expect(page.getByRole("heading", { name: "No API requests yet" })).toBeVisible();
  const { token } = await anApiKey(companyId);
  const sendRequest = (path: string) =>
    fetch(new URL(path, page.url()), { headers: { authorization: `Bearer ${token}` } });
  await sendRequest("/domains");
  await expect(page.getByRole("row", { name: /\/domains/ })).toBeVisible();
  await seedRequests(companyId, 60, null);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(51);
  await sendRequest("/webhooks");
  await expect(page.getByRole("row", { name: /\/webhooks/ })).toBeVisible();

  await page.mouse.wheel(0, 900);
  await sendRequest("/mailboxes");
  await sendRequest("/groups");
  const announced = page.getByRole("button", { name: "Show 2 new requests" });
  await expect(announced).toBeVisible();
  await expect(page.getByRole("row", { name: /\/groups/ })).toBeHidden();
  await announced.click();
  await expect(page.getByRole("row", { name: /\/groups/ })).toBeInViewport();

  await page.getByRole("switch", { name: "Live" }).uncheck();
  const requested: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/console/api/logs/")) requested.push(request.url());
  });
  await sendRequest("/api-keys");
  const logged = async () =>
    (await db().select().from(requestLog)).some(({ endpoint }) => endpoint === "/api-keys");
  await expect.poll(logged).toBe(true);
  expect(requested).toEqual([]);
  await page.getByRole("switch", { name: "Live" }).check();
  await expect(page.getByRole("row", { name: /\/api-keys/ })).toBeVisible();
});

test("a search that runs out of time says how far it got and can be continued", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await seedRequests(companyId, 8, null);
  await seedManyRequests(companyId, 510_000);
  const far = { companyId, method: "GET", endpoint: "/far", responseStatus: 500 };
  const createdAt = new Date(Date.now() - 20 * 86_400_000).toISOString();
  await db()
    .insert(requestLog)
    .values({ ...far, createdAt });
  await page.goto("/console/logs?status=5xx");
  await expect(page.getByText("Searched back to")).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "Continue search" }).click();
  await expect(page.getByRole("row", { name: /\/far/ })).toBeVisible();
  await expect(page.getByText("Searched back to")).toBeHidden();
});
