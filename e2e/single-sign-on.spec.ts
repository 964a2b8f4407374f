import type { Page } from "@playwright/test";

import { identityProviders, mailboxes, mailboxSessions } from "#drizzle/schema/index.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { endSessions } from "#server/testing/changed-admins.ts";
import { anIdentityProvider } from "#server/testing/an-identity-provider.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { signInWithCookie, signOut } from "./session.ts";

// The provider's certificate is self-signed.
test.use({ ignoreHTTPSErrors: true });

/** Signs in again in the window that the dialog opens. */
async function signInAgain(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  const opening = page.waitForEvent("popup");
  await dialog.getByRole("button", { name: "Use single sign-on" }).click();
  const window = await opening;
  await expect(dialog).toBeHidden();
  await expect.poll(() => window.isClosed()).toBe(true);
}

test("an owner connects an identity provider, signs in with it, and requires it", async ({
  page,
  appliance,
}) => {
  const provider = await anIdentityProvider();
  const company = await aCompany({ name: "Northwind" });
  const { name: domain } = await aDomain(company.id);
  const { id, email } = await anAdmin(company.id, { email: `ann@${domain}`, isOwner: true });
  await signInWithCookie(page, appliance.url, await startSession(db(), id));
  await page.goto("/console/settings?tab=access");
  const card = page.getByRole("region", { name: "Single sign-on" });
  await expect(card).toContainText(`${appliance.url}/console/sign-in/provider`);
  await card.getByLabel("Issuer URL").fill(`${provider.issuer}/wrong`);
  await card.getByRole("button", { name: "Check connection" }).click();
  await expect(card.getByText(/Check the issuer URL/)).toBeVisible();
  await card.getByLabel("Issuer URL").fill(provider.issuer);
  await card.getByRole("button", { name: "Check connection" }).click();
  await expect(card).toContainText(`Admins sign in at ${provider.issuer}/authorize`);
  await card.getByLabel("Client ID").fill(provider.clientId);
  await card.getByRole("textbox", { name: "Client secret" }).fill(provider.clientSecret);
  await card.getByRole("button", { name: "Connect provider" }).click();
  await expect(page.getByText("Identity provider saved")).toBeVisible();
  await expect(card.getByRole("textbox", { name: "Client secret" })).toHaveValue("");
  await expect(card).toContainText("To require single sign-on, first sign in with it yourself");
  await expectNoPageFaults(page);

  await signOut(page);
  await expect(page).toHaveURL(/\/console\/sign-in/);
  await page.goto("/console/sign-in?next=/console/settings?tab=access");
  provider.user = { sub: "another", email: "eve@elsewhere.example", email_verified: true };
  await page.getByLabel("Email address").fill(email);
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Use single sign-on" }).click();
  await expect(page.getByText("has no access to this company")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("link", { name: "Back to sign-in" }).click();

  provider.user = { sub: "ann", email, email_verified: true };
  await page.goto("/console/sign-in?next=/console/settings?tab=access");
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Use single sign-on" }).click();
  await expect(page).toHaveURL(/\/console\/settings\?tab=access$/);
  await card.getByRole("button", { name: "Require for admins" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("posthouse company allow-passwords");
  await dialog.getByRole("button", { name: "Require for admins" }).click();
  await expect(card).toContainText("Required");
  await expect(card.getByRole("button", { name: "Remove provider" })).toBeHidden();

  const link = await card.getByText(/\/console\/sign-in\/provider\?provider=/).textContent();
  await signOut(page);
  await expect(page).toHaveURL(/\/console\/sign-in/);
  await page.goto(link!);
  await expect(page.getByText("If you didn’t open this page yourself, close it")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page).toHaveURL(/\/console\/overview$/);

  // The list refreshes, which notices that the session has ended.
  await page.goto("/console/emails");
  await expect(page.getByRole("link", { name: "Domains", exact: true })).toBeVisible();
  await endSessions(email);
  await signInAgain(page);

  await page.goto("/console/sign-in/provider?error=access_denied&state=x");
  await expect(page.getByText("Your identity provider didn’t sign you in")).toBeVisible();
  await provider.close();
});

test("mailbox users sign in with the provider, and an owner requires it", async ({
  page,
  appliance,
}) => {
  const provider = await anIdentityProvider();
  const company = await aCompany({ name: "Northwind" });
  const domain = await aDomain(company.id);
  const { address } = await aMailbox(domain, { name: "Ben Lee", forcePasswordChange: true });
  const { issuer, clientId, clientSecret } = provider;
  await db()
    .insert(identityProviders)
    .values({
      companyId: company.id,
      issuer,
      clientId,
      sealedClientSecret: seal("identity_provider_secret", clientSecret),
    });
  const { id } = await anAdmin(company.id, { isOwner: true });
  await signInWithCookie(page, appliance.url, await startSession(db(), id));
  await page.goto("/console/settings?tab=access");
  const card = page.getByRole("region", { name: "Single sign-on" });
  const dialog = page.getByRole("dialog");
  await card.getByRole("button", { name: "Allow mailbox users" }).click();
  await dialog.getByRole("button", { name: "Allow mailbox users" }).click();
  await expect(card).toContainText("first sign in to a mailbox with it");

  provider.user = { sub: "ben", email: address, email_verified: true };
  await page.goto("/account/sign-in?next=/account/forwarding");
  await page.getByLabel("Email address").fill(address);
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Use single sign-on" }).click();
  await expect(page).toHaveURL(/\/account\/forwarding$/);
  await page.getByLabel("Address 1").fill("ben@example.org");
  await db().delete(mailboxSessions);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expectNoPageFaults(page);
  await signInAgain(page);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(
    page.getByText("Saved. Mail is forwarded to addresses that have confirmed it."),
  ).toBeVisible();

  await page.goto("/account/two-factor");
  await page.getByRole("button", { name: "Set up app" }).click();
  const setUp = page.getByRole("dialog", { name: "Set up an authenticator app" });
  await setUp.getByRole("button", { name: "Continue" }).click();
  await expect(setUp.getByRole("alert")).toHaveText("Verify it’s you to continue.");
  await expectNoPageFaults(page);
  provider.user = { ...provider.user, auth_time: Math.floor(Date.now() / 1000) };
  await setUp.getByRole("button", { name: "Use single sign-on" }).click();
  await expect(setUp.getByRole("status")).toContainText("verified it’s you");
  await expectNoPageFaults(page);
  await setUp.getByRole("button", { name: "Continue" }).click();
  await expect(setUp.getByRole("textbox", { name: "Code" })).toBeVisible();
  await setUp.getByRole("button", { name: "Cancel" }).click();

  // A page whose session began with the password.
  await db().update(mailboxes).set({ forcePasswordChange: false });
  const from = { clientAddress: "198.51.100.7", userAgent: null };
  await signInWithCookie(page, appliance.url, await startAccountSession(db(), address, from));
  const forwarding = await page.context().newPage();
  await forwarding.goto("/account/forwarding");
  await forwarding.getByLabel("Address 1").fill("lee@example.org");

  await page.goto("/console/settings?tab=access");
  await card.getByRole("button", { name: "Require for mailbox users" }).click();
  await expect(dialog).toContainText("Mail apps need app passwords");
  await expectNoPageFaults(page);
  await dialog.getByRole("button", { name: "Require for mailbox users" }).click();
  await expect(card.getByRole("button", { name: "Make optional for mailbox users" })).toBeVisible();

  await forwarding.getByRole("button", { name: "Save changes" }).click();
  const again = forwarding.getByRole("dialog", { name: "Sign in again" });
  await again.getByRole("textbox", { name: "Password" }).fill("test password");
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(again.getByText("Your company requires single sign-on")).toBeVisible();
  await expectNoPageFaults(forwarding);
  await signInAgain(forwarding);
  await forwarding.getByRole("button", { name: "Save changes" }).click();
  await expect(
    forwarding.getByText("Saved. Mail is forwarded to addresses that have confirmed it."),
  ).toBeVisible();

  await page.goto(`/console/mailboxes/${address}?tab=access`);
  await expect(page.getByText("so the mailbox password can’t be used")).toBeVisible();
  await expect(page.getByRole("button", { name: "Reset password" })).toBeHidden();
  await page.getByRole("button", { name: "Unlink account" }).click();
  await dialog.getByRole("button", { name: "Unlink account" }).click();
  await expect(page.getByText(`${address} unlinked`)).toBeVisible();
  await expect(page.getByRole("button", { name: "Unlink account" })).toBeHidden();
  await provider.close();
});
