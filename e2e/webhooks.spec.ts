import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aWebhook } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { anEvent, FULL, LOST, manyEvents, TAKEN, webhooksInEveryState } from "./seed-webhooks.ts";

const endpointOf = (tail: string) =>
  `https://hooks-${tail.slice(-8)}.northwind.example.com/posthouse`;
const rowOf = async (id: string) =>
  (await db().select().from(webhooks)).find((webhook) => webhook.id === id);

test("from nothing to a webhook whose secret was seen, copied and kept", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await page.goto("/console/webhooks");
  await expect(page.getByRole("heading", { name: "Hear what happens" })).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByText("hmac.compare_digest")).toBeVisible();
  await page.getByRole("link", { name: "Create webhook" }).click();

  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Endpoint must be an https URL")).toBeVisible();
  await expect(page.getByLabel("Endpoint")).toBeFocused();
  await page.getByLabel("Endpoint").fill("https://192.168.1.1/hook");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Events must name at least one type of event")).toBeVisible();
  await page.getByRole("checkbox", { name: "email.bounced" }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Endpoint must be at a public address")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "email.bounced" })).toBeChecked();
  await page.getByLabel("Endpoint").fill(endpointOf(companyId));
  await page.getByRole("checkbox", { name: "All types" }).check();
  // An Enter too many ends on a button that copies.
  await page.keyboard.press("Enter");

  const dialog = page.getByRole("dialog", { name: "The webhook's signing secret" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Copy" }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(secret).toMatch(/^whsec_/);
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("posthouse-webhook-secret.txt");
  await dialog.getByRole("button", { name: "I have stored it" }).click();

  await expect(page).toHaveURL(/\?tab=signing$/);
  await page.getByRole("button", { name: "Reveal" }).click();
  await expect(page.getByText(secret)).toBeVisible();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  const rotated = page.getByRole("dialog", { name: "The new signing secret" });
  await expect(rotated.getByText("whsec_")).toBeVisible();
  await expect(rotated.getByText(secret)).toBeHidden();
  await rotated.getByRole("button", { name: "I have stored it" }).click();
  await expect(rotated).toBeHidden();
});

test("the list tells the states apart, and j, k and Enter walk it", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  const { failing } = await webhooksInEveryState(companyId);
  await page.goto("/console/webhooks");
  const row = (name: RegExp) => page.getByRole("row", { name });
  await expect(row(/api\.northwind.*Enabled.*All types.*\d+ delivered, 3 failed/)).toBeVisible();
  await expect(row(/crm\.northwind.*Failing.*3 of 13 types.*12 failed attempts/)).toBeVisible();
  await expect(row(/old-shop.*Disabled.*100 failed attempts in a row/)).toBeVisible();
  await expect(row(/staging.*Disabled.*email\.sent.*No events/)).toBeVisible();

  for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(new RegExp(failing.id));
  const trouble = page.getByRole("region", { name: "Deliveries fail" });
  await expect(trouble.getByText("Its host name does not exist in DNS.")).toBeVisible();
});

test("a webhook that was disabled for its failures says why, and is enabled again", async ({
  page,
  signIn,
}) => {
  const { disabled } = await webhooksInEveryState((await signIn()).companyId);
  await page.goto(`/console/webhooks/${disabled.id}`);
  const trouble = page.getByRole("region", { name: "Disabled after 100 failures in a row" });
  await expect(trouble.getByText("2 events from before are held back")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send test event" })).toBeHidden();
  await trouble.getByRole("button", { name: "Enable webhook" }).click();
  await expect(trouble).toBeHidden();
  expect(await rowOf(disabled.id)).toMatchObject({ status: "enabled", failures: 0 });
});

test("filters are in the URL, and a failed event is replayed from its row", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const webhook = await aWebhook(companyId);
  const events = await manyEvents(webhook, 45);
  await page.goto(`/console/webhooks/${webhook.id}`);
  const table = page.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(21);

  await page.getByRole("link", { name: "Failed", exact: true }).click();
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(table.getByRole("row")).toHaveCount(6);
  await page.getByRole("combobox", { name: "Type" }).selectOption("email.complained");
  await expect(page).toHaveURL(/status=failed&type=email\.complained/);
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.reload();
  await expect(table.getByRole("row")).toHaveCount(2);

  const failed = events.find(
    ({ status, type }) => status === "failed" && type === "email.complained",
  )!;
  await table.getByRole("button", { name: `Replay ${failed.shownId}` }).click();
  await expect(page.getByRole("heading", { name: "No such events" })).toBeVisible();
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByRole("combobox", { name: "Type" }).selectOption("");
  await page.getByRole("link", { name: "Older" }).click();
  await expect(page).toHaveURL(/\?after=msg_/);
});

test("all failed events are replayed after it was said how many they are", async ({
  page,
  signIn,
}) => {
  const webhook = await aWebhook((await signIn()).companyId);
  await manyEvents(webhook, 45);
  await page.goto(`/console/webhooks/${webhook.id}`);
  await page.getByRole("button", { name: "Replay failed" }).click();
  // The list's keys do not lead out of the dialog.
  const cancel = page.getByRole("dialog").getByRole("button", { name: "Cancel" });
  await cancel.focus();
  await page.keyboard.press("j");
  await expect(cancel).toBeFocused();
  await page.getByRole("dialog").getByRole("button", { name: "Replay 5 events" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  const failed = (await db().select().from(webhookEvents)).filter(
    ({ webhookId, status }) => webhookId === webhook.id && status === "failed",
  );
  expect(failed).toHaveLength(0);
});

test("an event's page shows what was sent, every attempt, and replays it", async ({
  page,
  signIn,
}) => {
  const webhook = await aWebhook((await signIn()).companyId);
  const id = await anEvent(webhook, { attempts: [FULL, LOST, TAKEN], status: "success" });
  await page.goto(`/console/webhooks/${webhook.id}`);
  await page.getByRole("link", { name: "email.bounced" }).click();
  await expect(page.getByRole("region", { name: "JSON" })).toContainText('"subType": "General"');
  const attempts = page.getByRole("region", { name: "Attempts" });
  await expect(attempts.getByRole("listitem")).toHaveCount(3);
  await expect(attempts.getByRole("listitem").first()).toContainText("Attempt 3: HTTP 204");
  await expect(attempts.getByText("The queue is full, try again later")).toBeVisible();
  const email = page.getByRole("link", { name: "Your receipt for order 48213" });
  await expect(email).toHaveAttribute("href", /^\/console\/emails\/0190/);
  await page.getByRole("button", { name: "Copy id" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);

  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page.getByText("Retrying")).toBeVisible();
  await page.getByRole("link", { name: new URL(webhook.endpoint).host }).click();
  await expect(page).toHaveURL(new RegExp(`${webhook.id}$`));
});

test("a test event leads to its page", async ({ page, signIn }) => {
  const webhook = await aWebhook((await signIn()).companyId);
  await page.goto(`/console/webhooks/${webhook.id}`);
  await expect(page.getByRole("heading", { name: "No events yet" })).toBeVisible();
  await page.getByRole("button", { name: "Send test event" }).click();
  await expect(page).toHaveURL(/\/events\/msg_[0-9a-f]{32}$/);
  await expect(page.getByText("A test: nothing of the kind happened")).toBeVisible();
});

test("settings are saved, and deleting asks for the host's name", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  const webhook = await aWebhook(companyId);
  await page.goto(`/console/webhooks/${webhook.id}?tab=settings`);
  await page.getByRole("textbox", { name: "Endpoint" }).fill(endpointOf(companyId));
  await page.getByRole("checkbox", { name: "email.opened" }).uncheck();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("12 of 13 types")).toBeVisible();
  expect(await rowOf(webhook.id)).toMatchObject({ endpoint: endpointOf(companyId) });

  await page.getByRole("button", { name: "Disable webhook" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable webhook" }).click();
  await expect(page.getByRole("region", { name: "Disabled", exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Delete webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("another.example");
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(dialog.getByText("This is not")).toBeVisible();
  await dialog.getByRole("textbox").fill(new URL(endpointOf(companyId)).host);
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page).toHaveURL(/\/console\/webhooks$/);
  expect(await rowOf(webhook.id)).toBeUndefined();
});

test("a person without the privilege reads why there is nothing to see", async ({
  page,
  signIn,
}) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/webhooks");
  const alert = page.getByRole("alert").filter({ hasText: "You may not see the webhooks" });
  await expect(alert).toContainText("API controls");
});
