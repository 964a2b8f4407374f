import { hash } from "@node-rs/argon2";
import type { Page } from "@playwright/test";

import { createResetLinkAtServer } from "#server/core/access/people/person-passwords.ts";
import { db } from "#server/db/pool.ts";
import { aTotp, totpCode } from "#server/testing/a-second-factor.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { signOut } from "./session.ts";

const PASSWORD = "correct horse battery";

async function anOwner({ isRequired = false } = {}) {
  const company = await aCompany({ name: "Northwind", secondFactorRequired: isRequired });
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  const admin = await anAdmin(company.id, { passwordHash, name: "Ann Lee", isOwner: true });
  return { ...admin, company };
}

/** A virtual security key that approves every request. */
async function aSecurityKey(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...({ protocol: "ctap2", transport: "internal" } as const),
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function submitPassword(page: Page, email: string, password = PASSWORD) {
  await page.goto("/console/sign-in");
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signOutAndWait(page: Page) {
  await signOut(page);
  await expect(page).toHaveURL(/\/console\/sign-in/);
}

test("an authenticator app is set up because the company requires it, then required at sign-in", async ({
  page,
}) => {
  const { email } = await anOwner({ isRequired: true });
  await submitPassword(page, email);
  await expect(page).toHaveURL(/\/console\/profile/);
  await expect(page.getByRole("heading", { name: "Set up a second factor" })).toBeVisible();
  await expect(page.getByText("Northwind requires a second factor")).toBeVisible();

  await page.getByRole("button", { name: "Set up app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Your password" }).fill("wrong");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("Password is incorrect")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("img", { name: "QR code" })).toBeVisible();
  const secret = (await dialog.getByText(/^[A-Z2-7]{32}$/).textContent())!;
  await dialog.getByRole("textbox", { name: "Code" }).fill("000000");
  await dialog.getByRole("button", { name: "Verify code" }).click();
  await expect(dialog.getByText("Code is incorrect")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Code" }).fill(totpCode(secret));
  await dialog.getByRole("button", { name: "Verify code" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  await page.keyboard.press("Escape");
  const [recovery] = await dialog.getByRole("listitem").allTextContents();
  await page.evaluate(() => {
    window.open = () => null;
    window.print = () => {};
  });
  await dialog.getByRole("button", { name: "Print" }).click();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByText(/^Recovery codes for /)).toBeVisible();
  await expect(page.locator("pre")).toContainText(recovery!);
  await expect(dialog).toBeHidden();
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(page.locator("pre")).toHaveCount(0);
  await dialog.getByRole("button", { name: "I’ve saved my codes" }).click();
  await expect(page.getByRole("tab", { name: "Security" })).toBeVisible();

  await signOutAndWait(page);
  await submitPassword(page, email);
  await expect(page.getByRole("heading", { name: "Verify it’s you" })).toBeVisible();
  await expect(page.getByLabel("Code")).toBeFocused();
  await page.getByLabel("Code").fill("000000");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The code is incorrect or was already used.")).toBeVisible();
  await page.getByLabel("Code").fill(totpCode(secret, { steps: 1 }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);

  await signOutAndWait(page);
  await submitPassword(page, email);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recovery!);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);
});

test("a passkey is added, works as second factor and alone, is renamed and removed", async ({
  page,
}) => {
  await aSecurityKey(page);
  const { email } = await anOwner();
  await submitPassword(page, email);
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);
  await page.goto("/console/profile?tab=security");
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  await dialog.getByRole("button", { name: "I’ve saved my codes" }).click();
  const factors = page.getByRole("list", { name: "Second factors" });
  await expect(factors.getByText("Laptop")).toBeVisible();

  await signOutAndWait(page);
  await submitPassword(page, email);
  // Exact, because the sign-in page before it offers "Use a passkey instead".
  await page.getByRole("button", { name: "Use a passkey", exact: true }).click();
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);

  await signOutAndWait(page);
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);

  await page.goto("/console/profile?tab=security");
  await page.getByRole("button", { name: "Rename Laptop" }).click();
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(factors.getByText("Work laptop")).toBeVisible();
  await page.getByRole("button", { name: "Remove Work laptop" }).click();
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(factors.getByText("Work laptop")).toBeHidden();
  await expect(page.getByRole("list", { name: "Second factors" })).not.toContainText("Recovery");
});

test("the last factor can't be removed while the company requires one", async ({ page }) => {
  const { email } = await anOwner();
  const { secret } = await aTotp(email);
  await submitPassword(page, email);
  await page.getByLabel("Code").fill(totpCode(secret));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);
  await page.goto("/console/settings?tab=access");
  await expect(page.getByText("The only admin has a second factor.")).toBeVisible();
  await page.getByRole("button", { name: "Require second factor" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Require second factor" }).click();
  await expect(page.getByText("Required", { exact: true })).toBeVisible();
  await page.goto("/console/profile?tab=security");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("This is your only second factor")).toBeVisible();
});

test("a password reset shows the same message for every address, and its link works once", async ({
  page,
}) => {
  const { email } = await anOwner();
  await page.goto("/console/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect(page.getByRole("button", { name: "Send link" })).toBeVisible();
  await page.getByLabel("Email address").fill("nobody@example.com");
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();

  const { link } = await createResetLinkAtServer(db(), email, { withoutSecondFactor: false });
  await page.goto(link);
  await expect(page.getByText(`For ${email}.`)).toBeVisible();
  const fill = async (password: string, again = password) => {
    await page.getByRole("textbox", { name: "New password", exact: true }).fill(password);
    await page.getByRole("textbox", { name: "Confirm new password" }).fill(again);
    await page.getByRole("button", { name: "Set password" }).click();
  };
  await fill("staple thunder lantern", "staple");
  await expect(page.getByText("Passwords don’t match")).toBeVisible();
  await fill("short");
  await expect(page.getByText("New password must have at least 12 characters")).toBeVisible();
  await fill("staple thunder lantern");
  await expect(page.getByRole("heading", { name: "Password changed" })).toBeVisible();
  await page.getByRole("link", { name: "Sign in" }).click();
  await submitPassword(page, email, "staple thunder lantern");
  await expect(page).toHaveURL(/\/console\/(emails|overview)/);

  await page.goto("/console/sign-in");
  await page.goto(link);
  await expect(page.getByText("This link has expired")).toBeVisible();
});
