import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { seedFailedEmail, seedEmailWithProblems } from "./seed-emails.ts";
import { seedEmails } from "./seed.ts";

const recipientOf = (page: Page, address: string) =>
  page
    .getByRole("region", { name: /recipient/i })
    .getByRole("listitem")
    .filter({ hasText: address });

test("an email's page shows each recipient's status, the reason and advice", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  await page.goto(`/console/emails/${await seedEmailWithProblems(me)}`);
  await expect(recipientOf(page, "ben.okafor@example.net")).toContainText("Delivered");
  const late = recipientOf(page, "carla@example.org");
  await expect(late).toContainText("The mailbox at example.org is full.");
  await expect(late).toContainText(
    /2 attempts so far\. Next attempt in 1\d minutes\. Posthouse gives up on/,
  );
  const gone = recipientOf(page, "orders@warehouse.example");
  await expect(gone).toContainText("The mailbox does not exist at warehouse.example.");
  await expect(gone).toContainText("Correct the address");
  await expect(gone.getByRole("link", { name: "suppression list" })).toHaveAttribute(
    "href",
    "/console/suppressions?search=orders%40warehouse.example",
  );
  await expect(gone.getByText("550 5.1.1")).toBeHidden();
  await gone.getByText("Server response").click();
  await expect(gone.getByText("550 5.1.1")).toBeVisible();
});

test("attachments and the message source can be downloaded", async ({ page, signIn }) => {
  const me = await signIn();
  const id = await seedEmailWithProblems(me);
  await page.goto(`/console/emails/${id}`);
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download receipt-48213.pdf" }).click();
  expect((await file).suggestedFilename()).toBe("receipt-48213.pdf");
  expect(await readFile(await (await file).path(), "utf8")).toBe("%PDF-1.4 receipt");

  await page.getByRole("tab", { name: "Source" }).click();
  await expect(page.getByRole("region", { name: "message source" })).toContainText(
    "Subject: Your receipt for order 48213",
  );
  const message = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download .eml" }).click();
  expect((await message).suggestedFilename()).toBe(`${id}.eml`);
  expect(await readFile(await (await message).path(), "utf8")).toContain("\r\nX-Order: 48213\r\n");
});

test("an email without content says so and can't be resent", async ({ page, signIn }) => {
  const me = await signIn();
  await page.goto(`/console/emails/${await seedFailedEmail(me)}`);
  await expect(recipientOf(page, "gus@example.net")).toContainText(
    "The sending domain was deleted.",
  );
  await expect(page.getByText("its content wasn’t stored")).toBeVisible();
  await expect(page.getByRole("button", { name: "Resend email" })).toHaveCount(0);
});

test("the resend dialog lists who will receive the email and who is skipped", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const id = await seedEmailWithProblems(me);
  await page.goto(`/console/emails/${id}`);
  await page.getByRole("button", { name: "Resend email" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("carla@example.org");
  await expect(dialog).toContainText(
    "This address is on your suppression list and won’t receive it",
  );
  await dialog.getByRole("button", { name: "Resend email" }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(page.getByText(`${me.email}, in the console`)).toBeVisible();
  await expect(recipientOf(page, "orders@warehouse.example")).toContainText("Suppressed");
});

test("composing an email shows errors next to the fields, then sends it", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  await page.goto("/console/emails");
  await page.getByRole("link", { name: "Compose email" }).click();
  await expect(page.getByLabel("To", { exact: true })).toHaveValue(me.email);
  await page.getByLabel("To", { exact: true }).fill("ann@example.net, ben");
  await page.getByLabel("Subject").fill("Is it there?");
  await page.getByRole("button", { name: "Send email" }).click();
  await expect(page.getByText(/“ben” must be a valid email address/)).toBeVisible();
  await expect(page.getByLabel("Subject")).toHaveValue("Is it there?");

  await page.getByLabel("To", { exact: true }).fill("ann@example.net");
  await page.getByText("HTML", { exact: true }).click();
  await page.getByLabel("Content", { exact: true }).fill("<h1>Hello Ann</h1>");
  await expect(
    page.frameLocator("iframe").getByRole("heading", { name: "Hello Ann" }),
  ).toBeVisible();
  await page.getByLabel("Tags").fill("kind=test");
  await page.getByRole("button", { name: "Send email" }).click();

  await expect(page.getByRole("heading", { name: "Is it there?" })).toBeVisible();
  await expect(page.getByText(`${me.email}, in the console`)).toBeVisible();
  await expect(page.getByRole("link", { name: "kind=test" })).toBeVisible();
  await page.goto("/console/emails?key=none");
  await expect(page.getByRole("row", { name: /Is it there\?/ })).toBeVisible();
});

test("an email is scheduled, rescheduled and canceled", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/emails/new");
  const field = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel("Send time").fill(field(60));
  await page.getByRole("button", { name: "Schedule email" }).click();
  await expect(page.getByText("Send time must be at most 30 days ahead")).toBeVisible();
  await page.getByLabel("Send time").fill(field(2));
  await page.getByRole("button", { name: "Schedule email" }).click();
  await expect(page.getByRole("heading", { name: "A test email" })).toBeVisible();

  await page.getByRole("button", { name: "Reschedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Send time").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await expect(dialog.getByText("Send time must not be in the past")).toBeVisible();
  await dialog.getByLabel("Send time").fill(field(3));
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await expect(page.getByText("Email rescheduled")).toBeVisible();

  await page.getByRole("button", { name: "Cancel email" }).click();
  await dialog.getByRole("button", { name: "Keep email" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Cancel email" }).click();
  await dialog.getByRole("button", { name: "Cancel email" }).click();
  await expect(page.getByText("Email canceled")).toBeVisible();
  await expect(page.getByRole("region", { name: "Timeline" })).toContainText(
    "Canceled on request.",
  );
  await expect(page.getByRole("button", { name: "Reschedule" })).toHaveCount(0);
});

test("the email pages are accessible and fit the screen", async ({ page, signIn }) => {
  const me = await signIn();
  const id = await seedEmailWithProblems(me);
  await seedEmails(me, 8);
  await page.goto("/console/emails?status=bounced");
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await expect(page.getByRole("table")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`/console/emails/${id}`);
  for (const tab of ["Source", "Code"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("tabpanel", { name: tab }).locator("pre")).toBeVisible();
    await expectNoPageFaults(page);
  }
  await page.getByRole("button", { name: "Resend email" }).click();
  await expect(page.getByRole("dialog")).toContainText("carla@example.org");
  await expectNoPageFaults(page);
  await page.goto("/console/emails/new");
  await page.getByLabel("Subject").fill("Save {{amount}} now!!");
  await page.getByRole("button", { name: "Check without sending" }).click();
  await expect(page.getByText("Nothing was sent. Check again after changes.")).toBeVisible();
  await expect(page.getByRole("list", { name: "Findings" })).toContainText("placeholder");
  await page.getByText("Text version", { exact: true }).click();
  await expect(page.getByText("If you can read this, sending works.").last()).toBeVisible();
  await expectNoPageFaults(page);
  for (const [name, to] of [
    ["Check without sending", ""],
    ["Send email", "ben, ann@x.example"],
  ] as const) {
    await page.getByLabel("To", { exact: true }).fill(to);
    await page.getByRole("button", { name }).click();
    await expect(
      page.getByText(to ? "“ben” must be" : "To must have at least one recipient"),
    ).toBeVisible();
    await expect(page.getByLabel("To", { exact: true })).toBeFocused();
  }
  await expectNoPageFaults(page);
});
