import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { anAdmin } from "#server/testing/factories.ts";
import { noticeTo } from "#server/testing/sent-notices.ts";

import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { aMailboxUser, verifyIdentity } from "./seed-account.ts";
import { signInWithCookie } from "./session.ts";

const POLICY = "Forwarding outside your company";

test("a unit's policy decides whether mail can be forwarded outside: never, after confirmation, or at once", async ({
  page,
  appliance,
}) => {
  const { ctx, cookie, address } = await aMailboxUser();
  const admin = await anAdmin(ctx.companyId, { isOwner: true });
  await signInWithCookie(page, appliance.url, await startSession(db(), admin.id));
  await signInWithCookie(page, appliance.url, cookie);
  const [ben, cay] = ["ben", "cay"].map((name) => `${name}@out-${ctx.companyId.slice(-6)}.example`);

  const setPolicy = async (choice: string) => {
    await page.goto("/console/units");
    await page.getByRole("combobox", { name: POLICY }).selectOption(choice);
    await page
      .getByRole("group", { name: "Unsaved changes" })
      .getByRole("button", { name: "Save" })
      .click();
    await expect(page.getByText(/^Policies of .+ saved$/)).toBeVisible();
  };
  const forwardTo = async (...targets: string[]) => {
    await page.goto("/account/forwarding");
    for (const [at, target] of targets.entries()) {
      if (at > 0) await page.getByRole("button", { name: "Add address" }).click();
      await page.getByLabel(`Address ${at + 1}`).fill(target);
    }
    await page.getByRole("button", { name: "Save changes" }).click();
  };

  await setPolicy("Not allowed");
  await forwardTo(ben!);
  await expect(page.getByText("only allows forwarding within the company")).toBeVisible();
  await expect(
    page.getByText(`Your company doesn’t allow forwarding mail to other organizations: ${ben}`),
  ).toBeVisible();
  await expectNoPageFaults(page);

  await setPolicy("After confirmation");
  await forwardTo(ben!);
  await verifyIdentity(page, "Save changes");
  await expect(page.getByText(`Waiting for ${ben} to confirm`)).toBeVisible();
  await page.goto(`/console/mailboxes/${address}`);
  await expect(page.getByText(`Waiting for ${ben} to confirm`)).toBeVisible();
  const text = await noticeTo(ctx.companyId, ben!);
  await page.goto(/\/forward\/[^\s>]+/.exec(text)![0]);
  await expect(page.getByRole("heading", { name: "Forward mail to you?" })).toBeVisible();
  await page.getByRole("button", { name: "Confirm forwarding" }).click();
  await expect(page.getByRole("heading", { name: "Forwarding is on" })).toBeVisible();
  for (const path of [`/console/mailboxes/${address}`, "/account/overview"]) {
    await page.goto(path);
    await expect(page.getByText(`To ${ben}, keeping a copy`)).toBeVisible();
    await expect(page.getByText("Waiting for")).toHaveCount(0);
  }

  await setPolicy("Allowed");
  await forwardTo(ben!, cay!);
  await verifyIdentity(page, "Save changes");
  await expect(page.getByText("Saved. Mail is now forwarded.")).toBeVisible();
  await page.goto("/account/overview");
  await expect(page.getByText(`To ${ben}, ${cay}, keeping a copy`)).toBeVisible();
  await expect(page.getByText("Waiting for")).toHaveCount(0);
});
