import { aReceivedEmail } from "#server/testing/received-emails.ts";

import { expectNoPageFaults } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";

test("an owner creates a catch-all, reads what it received, deletes it and undoes that", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ isOwner: true });
  await page.goto("/console");
  await page.getByRole("link", { name: "Receiving", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No received emails" })).toBeVisible();

  await page.getByRole("button", { name: "Create inbound address" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create inbound address" }).click();
  await expect(dialog.getByText("Address is required")).toBeVisible();
  await dialog.getByLabel(/^Catch-all/).check();
  await expectNoPageFaults(page);
  await dialog.getByRole("button", { name: "Create inbound address" }).click();
  const addresses = page.getByRole("list", { name: "Inbound addresses" });
  await expect(addresses).toContainText(`*@${domain}`);

  await aReceivedEmail({ companyId, name: domain });
  await page.reload();
  await page.getByRole("link", { name: "Ben <ben@example.org>" }).click();
  await expect(page.getByRole("heading", { name: "Photo" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Text" })).toHaveText("Hi");
  await expect(page.getByRole("link", { name: "Download a.csv" })).toBeVisible();
  await expectNoPageFaults(page);

  await page.getByRole("link", { name: "Receiving", exact: true }).first().click();
  await page.getByRole("button", { name: `Delete *@${domain}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete address" }).click();
  await expect(page.getByText("None yet.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(addresses).toContainText(`*@${domain}`);
});
