import type { Page } from "@playwright/test";

import { forwardSuspensions } from "#drizzle/schema/index.ts";
import { newToken, startStep } from "#server/core/access/sign-in/steps.ts";
import { forwardRequestUrl } from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { releaseUrl } from "#server/core/mail/quarantine-digests/digests.ts";
import { db } from "#server/db/pool.ts";
import { totpCode } from "#server/testing/a-second-factor.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { signInWithCookie, signOut } from "./session.ts";
import {
  aForwardRequest,
  aMailboxUser,
  PASSWORD,
  seedAccount,
  seedQuarantine,
  verifyIdentity,
} from "./seed-account.ts";

const NEW_PASSWORD = "seven green umbrellas";

async function signInAs(page: Page, address: string, password = PASSWORD) {
  await page.getByLabel("Email address").fill(address);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.keyboard.press("Enter");
}

test("a temporary password opens only the page where it is changed", async ({
  page,
  appliance,
}) => {
  const { address } = await aMailboxUser({ forcePasswordChange: true });
  await page.goto(`${appliance.url}/account/filters`);
  await expect(page).toHaveURL(/\/account\/sign-in\?next=/);
  await signInAs(page, address);
  await expect(page.getByRole("heading", { name: "Set a new password" })).toBeVisible();
  await expect(page.getByRole("textbox")).toHaveCount(2);
  await page.goto(`${appliance.url}/account/sessions`);
  await expect(page).toHaveURL(/\/account\/new-password$/);

  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  await field("Temporary password").fill(PASSWORD);
  await field("New password").fill(NEW_PASSWORD);
  await field("Confirm new password").fill("another one");
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page.getByText("Passwords don’t match")).toBeVisible();
  await expect(field("New password")).toHaveValue(NEW_PASSWORD);
  await field("Confirm new password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page).toHaveURL(/\/account\/overview$/);

  await signOut(page);
  await expect(page).toHaveURL(/\/account\/sign-in/);
  await signInAs(page, address);
  await expect(page.getByText("The address or password is incorrect")).toBeVisible();
  await expect(page.getByLabel("Email address")).toHaveValue(address);
});

test("an authenticator app is set up, then required at sign-in", async ({ page, appliance }) => {
  const { address } = await aMailboxUser();
  await page.goto(`${appliance.url}/account/two-factor`);
  await signInAs(page, address);
  await page.getByRole("button", { name: "Set up app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const url = await dialog.getByRole("link", { name: "Open the app" }).getAttribute("href");
  const secret = new URL(url!).searchParams.get("secret")!;
  await dialog.getByRole("textbox", { name: "Code" }).fill(totpCode(secret));
  await dialog.getByRole("button", { name: "Verify code" }).click();
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  const recoveryCode = (await codes.first().textContent())!;
  await page.getByRole("button", { name: "I’ve saved my codes" }).click();
  await expect(page.getByText("10 of 10 left")).toBeVisible();
  await expectNoPageFaults(page);

  await signOut(page);
  await expect(page).toHaveURL(/\/account\/sign-in/);
  await signInAs(page, address);
  await expect(page.getByRole("heading", { name: "Verify it’s you" })).toBeVisible();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByRole("textbox", { name: "Recovery code" }).fill(recoveryCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page).toHaveURL(/\/account\/overview$/);
});

test.describe("a link to set the password", () => {
  test.use({ expectedConsoleErrors: /status of 4(04|22)/ });

  test("works once and signs the mailbox user in", async ({ page, appliance }) => {
    const { address } = await aMailboxUser({ forcePasswordChange: true });
    const token = newToken();
    await startStep(db(), { token, kind: "mailbox_password", mailbox: address, minutes: 5 });
    const link = `${appliance.url}/account/set-password#${token}`;
    await page.goto(link);
    await expect(page.getByText(`For your mailbox ${address}`)).toBeVisible();
    await expectNoPageFaults(page);
    const field = (name: string) => page.getByRole("textbox", { name, exact: true });
    await field("New password").fill("short");
    await field("Confirm new password").fill("short");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/must have at least 12 characters/)).toBeVisible();
    await field("New password").fill(NEW_PASSWORD);
    await field("Confirm new password").fill(NEW_PASSWORD);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/account\/overview$/);
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
  });
});

test.describe("filters", () => {
  // Scripts are read from the mail server, which isn’t running.
  test.use({ expectedConsoleErrors: /status of 500/ });

  test("are created, reordered, disabled and deleted", async ({ page, appliance }) => {
    const { cookie } = await aMailboxUser();
    await signInWithCookie(page, appliance.url, cookie);
    await page.goto(`${appliance.url}/account/filters`);
    for (const name of ["Invoices", "Team"]) {
      await page.getByRole("button", { name: "Create filter" }).first().click();
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Value of condition 1").fill(name);
      await page.getByLabel("Folder").fill(`Work/${name}`);
      await page.keyboard.press("Enter");
      await expect(page.getByRole("dialog")).toBeHidden();
    }
    const rows = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
    await expect(rows).toHaveText([/^Invoices/, /^Team/]);
    await page.getByRole("button", { name: "Move Team up" }).click();
    await expect(rows).toHaveText([/^Team/, /^Invoices/]);
    await page.getByRole("switch", { name: "Team is on" }).press("Space");
    await expect(page.getByRole("switch", { name: "Team is on" })).not.toBeChecked();
    await page.getByRole("button", { name: "Delete Invoices" }).click();
    await page.getByRole("button", { name: "Delete filter" }).click();
    await expect(rows).toHaveText([/^Team/]);
    await page.reload();
    await expect(rows).toHaveText([/^Team/]);
    await expect(page.getByRole("switch", { name: "Team is on" })).not.toBeChecked();
  });
});

test("forwarding and the vacation reply are saved, and input survives an error", async ({
  page,
  appliance,
}) => {
  const { cookie, address } = await aMailboxUser();
  await signInWithCookie(page, appliance.url, cookie);
  await page.goto(`${appliance.url}/account/forwarding`);
  await page.getByLabel("Address 1").fill(address);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("A mailbox can’t forward mail to itself")).toBeVisible();
  await expect(page.getByLabel("Address 1")).toHaveValue(address);
  await page.getByLabel("Address 1").fill(`x${address}`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`x${address} isn’t an address of your company`)).toBeVisible();
  await page.getByLabel("Address 1").fill("ben@example.net");
  await page.getByRole("button", { name: "Save" }).click();
  const identity = page.getByRole("dialog", { name: "Verify it’s you" });
  await identity.getByRole("textbox", { name: "Your password" }).fill("wrong");
  await identity.getByRole("button", { name: "Save changes" }).click();
  await expect(identity.getByText("The current password is incorrect")).toBeVisible();
  await identity.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("Enter your password, or verify your identity")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await verifyIdentity(page, "Save changes");
  await expect(
    page.getByText("Saved. Mail is forwarded to addresses that have confirmed it."),
  ).toBeVisible();

  await page.goto(`${appliance.url}/account/vacation`);
  await page.getByRole("switch", { name: "Send automatic replies" }).press("Space");
  await page.getByLabel("Message").fill("Back soon");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Subject is required")).toBeVisible();
  await page.getByLabel("Subject").fill("Away");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved. Replies are sent.")).toBeVisible();

  await page.goto(`${appliance.url}/account/overview`);
  await expect(page.getByText("To ben@example.net, keeping a copy")).toBeVisible();
  await expect(page.getByText("Replies are sent")).toBeVisible();
});

test("an outside address gets mail only after its owner has confirmed, and can decline", async ({
  page,
  appliance,
}) => {
  const { ctx, cookie, address } = await aMailboxUser();
  const target = `ben@${address.split("@")[1]!.replace("nw", "out")}`;
  const request = await aForwardRequest(address, target);
  await saveRules(ctx, address, { forwardTo: [target] });
  await signInWithCookie(page, appliance.url, cookie);
  await page.goto(`${appliance.url}/account/forwarding`);
  const waiting = page.getByText(`Waiting for ${target} to confirm`);
  await expect(waiting).toBeVisible();
  await expectNoPageFaults(page);
  const resend = page.getByRole("button", { name: `Resend request to ${target}` });
  await resend.click();
  await expect(page.getByText("Request sent")).toBeVisible();
  await resend.click();
  await expect(page.getByText("No more requests can be sent to this address now")).toBeVisible();
  await page.goto(`${appliance.url}/account/overview`);
  const incoming = page.getByRole("list", { name: "Incoming mail" });
  const row = incoming.getByRole("listitem").filter({ hasText: "Forwarding" });
  await expect(row.getByText("Inactive", { exact: true })).toBeVisible();
  await expect(row).toContainText(`Waiting for ${target} to confirm`);

  const link = appliance.url + new URL(forwardRequestUrl(request, new Date())).pathname;
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Forward mail to you?" })).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Confirm forwarding" }).click();
  await expect(page.getByRole("heading", { name: "Forwarding is on" })).toBeVisible();
  await page.goto(`${appliance.url}/account/forwarding`);
  await expect(page.getByLabel("Address 1")).toHaveValue(target);
  await expect(waiting).toBeHidden();

  await page.goto(link);
  await page.getByRole("button", { name: "Stop forwarding" }).click();
  await expect(page.getByRole("heading", { name: "Nothing is forwarded to you" })).toBeVisible();
  await page.goto(`${appliance.url}/account/overview`);
  await expect(page.getByText(`${target} declined`)).toBeVisible();
  await page.goto(`${appliance.url}/account/forwarding`);
  await expect(page.getByText(`${target} declined`)).toBeVisible();
});

test("a suspended forward is shown with its reason and can be resumed", async ({
  page,
  appliance,
}) => {
  const { cookie, address } = await aMailboxUser();
  await db().insert(forwardSuspensions).values({
    mailbox: address,
    target: "ben@dead.example",
    suspendedAt: "2026-01-01",
    dsn: "5.1.1",
    reply: "550 5.1.1 User unknown",
  });
  await signInWithCookie(page, appliance.url, cookie);
  await page.goto(`${appliance.url}/account/forwarding`);
  await expect(page.getByText("Forwarding to ben@dead.example is suspended")).toBeVisible();
  await expect(page.getByText("The mailbox does not exist.")).toBeVisible();
  await page.getByRole("button", { name: "Resume forwarding to ben@dead.example" }).click();
  await expect(page.getByText("is suspended")).toBeHidden();
  await page.reload();
  await expect(page.getByLabel("Address 1")).toBeVisible();
  await expect(page.getByText("is suspended")).toBeHidden();
});

test("an app password is shown once, and a browser session can be ended", async ({
  page,
  appliance,
}) => {
  const user = await aMailboxUser();
  await seedAccount(user);
  await signInWithCookie(page, appliance.url, user.cookie);
  await page.goto(`${appliance.url}/account/app-passwords`);
  await page.getByRole("button", { name: "Create app password" }).click();
  await page.getByLabel("Name").fill("Tablet");
  await page.keyboard.press("Enter");
  await verifyIdentity(page, "Create app password");
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page.getByText("Tablet")).toBeVisible();

  // As if the mail server were running and no mail app were signed in.
  await page.route("**/account/api/sessions/listSessions", async (route) => {
    const sessions = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...sessions, mailApps: [] } });
  });
  await page.goto(`${appliance.url}/account/sessions`);
  const endOthers = page.getByRole("button", { name: "End other sessions" });
  await expect(endOthers).toBeVisible();
  await page.getByRole("button", { name: "End session of Safari on iPhone" }).click();
  await expect(page.getByText("Safari on iPhone")).toBeHidden();
  await expect(page.getByText("This session")).toBeVisible();
  await expect(endOthers).toBeHidden();
});

test("a quarantined message is released from the list, and by the link of a digest", async ({
  page,
  appliance,
}) => {
  const user = await aMailboxUser();
  await seedQuarantine(user);
  await signInWithCookie(page, appliance.url, user.cookie);
  await page.goto(`${appliance.url}/account/overview`);
  await page.getByRole("link", { name: "Quarantine" }).click();
  await expect(page.getByText("only an admin can release it")).toHaveCount(1);
  await page.getByRole("button", { name: "Release Your weekly offers" }).click();
  await page.getByRole("button", { name: "Release message" }).click();
  await expect(page.getByText("Message released.")).toBeVisible();
  await expect(page.getByText("Your weekly offers")).toBeHidden();

  const { companyId } = user.ctx;
  const link = { companyId, mailbox: user.address, quarantineId: await seedQuarantine(user) };
  await page.goto(`${appliance.url}${new URL(releaseUrl(link, new Date())).pathname}`);
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Release message" }).click();
  await expect(page.getByRole("heading", { name: "Message released" })).toBeVisible();
});

test.describe("the pages of a mailbox user", () => {
  // No mail server runs.
  test.use({ expectedConsoleErrors: /status of 500/ });

  test("are accessible and fit the screen", async ({ page, appliance }) => {
    const user = await aMailboxUser();
    await seedAccount(user);
    const check = async (path: string) => {
      await page.goto(`${appliance.url}/account/${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectNoPageFaults(page);
    };
    await check("sign-in");
    await check(`connect?email=${user.address}`);
    await signInWithCookie(page, appliance.url, user.cookie);
    for (const path of ["overview", "set-up", "filters", "forwarding", "vacation"])
      await check(path);
    for (const path of ["password", "app-passwords", "sessions", "quarantine"]) await check(path);
    await page.goto(`${appliance.url}/account/filters`);
    await page.getByRole("button", { name: "Edit Invoices" }).click();
    await expect(page.getByLabel("Folder")).toBeVisible();
    await expectNoPageFaults(page);
  });
});
