import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aWebhook } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import {
  anEvent,
  UNAVAILABLE_ATTEMPT,
  DNS_ERROR_ATTEMPT,
  manyEvents,
  SUCCESSFUL_ATTEMPT,
  webhooksInEveryState,
} from "./seed-webhooks.ts";

const endpointOf = (tail: string) =>
  `https://hooks-${tail.slice(-8)}.northwind.example.com/posthouse`;
const rowOf = async (id: string) =>
  (await db().select().from(webhooks)).find((webhook) => webhook.id === id);

test("creates a webhook, saves its secret, and rotates it", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await page.goto("/console/webhooks");
  await expect(page.getByRole("heading", { name: "Receive events in real time" })).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByText("hmac.compare_digest")).toBeVisible();
  await page.getByRole("link", { name: "Create webhook" }).click();

  await expect(page.getByRole("checkbox", { name: "email.opened" })).toBeChecked();
  await page.getByRole("checkbox", { name: "All events" }).uncheck();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Endpoint is required")).toBeVisible();
  await expect(page.getByText("Choose at least one event type")).toBeVisible();
  await expect(page.getByLabel("Endpoint")).toBeFocused();
  await page.getByLabel("Endpoint").fill("https://192.168.1.1/hook");
  await page.getByRole("checkbox", { name: "email.bounced" }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Endpoint must be at a public address")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "email.bounced" })).toBeChecked();
  await page.getByLabel("Endpoint").fill(endpointOf(companyId));
  await page.getByRole("checkbox", { name: "All events" }).check();
  // A second Enter would land on the copy button.
  await page.keyboard.press("Enter");

  const dialog = page.getByRole("dialog", { name: "Signing secret" });
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
  await dialog.getByRole("button", { name: "I’ve saved it" }).click();

  await expect(page).toHaveURL(/\?tab=signing$/);
  await page.getByRole("button", { name: "Reveal secret" }).click();
  await expect(page.getByText(secret)).toBeVisible();
  await page.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  const rotated = page.getByRole("dialog", { name: "New signing secret" });
  await expect(rotated.getByText("whsec_")).toBeVisible();
  await expect(rotated.getByText(secret)).toBeHidden();
  await rotated.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(rotated).toBeHidden();
});

test("the list shows each state, and j, k, and Enter navigate it", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  const { failing } = await webhooksInEveryState(companyId);
  await page.goto("/console/webhooks");
  const row = (name: RegExp) => page.getByRole("row", { name });
  await expect(row(/api\.northwind.*Enabled.*All events.*\d+ delivered, 3 failed/)).toBeVisible();
  await expect(row(/crm\.northwind.*Failing.*3 of 16 events.*12 failed attempts/)).toBeVisible();
  await expect(row(/old-shop.*Disabled.*100 failed attempts in a row/)).toBeVisible();
  await expect(row(/staging.*Disabled.*email\.sent.*No events/)).toBeVisible();

  for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(new RegExp(failing.id));
  const problem = page.getByRole("region", { name: "Deliveries are failing" });
  await expect(problem.getByText("The hostname does not exist in DNS.")).toBeVisible();
});

test("a webhook disabled for failures explains why and can be enabled again", async ({
  page,
  signIn,
}) => {
  const { disabled } = await webhooksInEveryState((await signIn()).companyId);
  await page.goto(`/console/webhooks/${disabled.id}`);
  const problem = page.getByRole("region", {
    name: "Disabled after 100 failed attempts in a row",
  });
  await expect(problem.getByText("2 events from before will be delivered")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send test event" })).toBeHidden();
  await problem.getByRole("button", { name: "Enable webhook" }).click();
  await expect(problem).toBeHidden();
  expect(await rowOf(disabled.id)).toMatchObject({ status: "enabled", failures: 0 });
});

test("filters are kept in the URL, and a failed event is replayed from the list", async ({
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
  const failed = events.find(({ status }) => status === "failed")!;
  await page.getByRole("combobox", { name: "Type" }).selectOption(failed.type);
  await expect(page).toHaveURL(new RegExp(`status=failed&type=${failed.type}$`));
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.reload();
  await expect(table.getByRole("row")).toHaveCount(2);

  await table.getByRole("button", { name: `Replay ${failed.shownId}` }).click();
  await expect(page.getByRole("heading", { name: "No matching events" })).toBeVisible();
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByRole("combobox", { name: "Type" }).selectOption("");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL(/\?after=msg_/);
});

test("replays all failed events after confirming their number", async ({ page, signIn }) => {
  const webhook = await aWebhook((await signIn()).companyId);
  await manyEvents(webhook, 45);
  await page.goto(`/console/webhooks/${webhook.id}`);
  await page.getByRole("button", { name: "Replay failed events" }).click();
  // The list's keyboard shortcuts don't move the focus out of the dialog.
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

test("an event's page shows its payload and attempts and replays it", async ({ page, signIn }) => {
  const webhook = await aWebhook((await signIn()).companyId);
  const id = await anEvent(webhook, {
    attempts: [UNAVAILABLE_ATTEMPT, DNS_ERROR_ATTEMPT, SUCCESSFUL_ATTEMPT],
    status: "success",
  });
  await page.goto(`/console/webhooks/${webhook.id}`);
  await page.getByRole("link", { name: "email.bounced" }).click();
  await expect(page.getByRole("region", { name: "JSON" })).toContainText('"subType": "General"');
  const attempts = page.getByRole("region", { name: "Attempts" });
  await expect(attempts.getByRole("listitem")).toHaveCount(3);
  await expect(attempts.getByRole("listitem").first()).toContainText("Attempt 3: HTTP 204");
  await expect(attempts.getByText("The queue is full, try again later")).toBeVisible();
  const email = page.getByRole("link", { name: "Your receipt for order 48213" });
  await expect(email).toHaveAttribute("href", /^\/console\/emails\/0190/);
  await page.getByRole("button", { name: "Copy ID" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);

  await page.getByRole("button", { name: "Replay event" }).click();
  await expect(page.getByText("Retrying")).toBeVisible();
  await page.getByRole("link", { name: new URL(webhook.endpoint).host }).click();
  await expect(page).toHaveURL(new RegExp(`${webhook.id}$`));
});

test("sending a test event opens its page", async ({ page, signIn }) => {
  const webhook = await aWebhook((await signIn()).companyId);
  await page.goto(`/console/webhooks/${webhook.id}`);
  await expect(page.getByRole("heading", { name: "No events yet" })).toBeVisible();
  await page.getByRole("button", { name: "Send test event" }).click();
  await expect(page).toHaveURL(/\/events\/msg_[0-9a-f]{32}$/);
  await expect(page.getByText("This is a test event with example data")).toBeVisible();
});

test("saves settings, and deletes the webhook after typing its host", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  const webhook = await aWebhook(companyId);
  await page.goto(`/console/webhooks/${webhook.id}?tab=settings`);
  await page.getByRole("textbox", { name: "Endpoint" }).fill(endpointOf(companyId));
  await page.getByRole("checkbox", { name: "email.opened" }).uncheck();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("15 of 16 events")).toBeVisible();
  expect(await rowOf(webhook.id)).toMatchObject({ endpoint: endpointOf(companyId) });

  await page.getByRole("button", { name: "Disable webhook" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable webhook" }).click();
  await expect(page.getByRole("region", { name: "Disabled", exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Delete webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("another.example");
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(dialog.getByText("Doesn’t match")).toBeVisible();
  await dialog.getByRole("textbox").fill(new URL(endpointOf(companyId)).host);
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page).toHaveURL(/\/console\/webhooks$/);
  expect(await rowOf(webhook.id)).toBeUndefined();
});

test("explains which privilege is missing", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/webhooks");
  const alert = page
    .getByRole("alert")
    .filter({ hasText: "You don’t have access to the webhooks" });
  await expect(alert).toContainText("API controls");
});
