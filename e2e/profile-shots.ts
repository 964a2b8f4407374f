import { hash } from "@node-rs/argon2";
import type { Page } from "@playwright/test";

import { createResetLink } from "#server/core/access/people/person-passwords.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aPasskeyOf, aTotp, totpCode } from "#server/testing/a-second-factor.ts";
import { aCompany, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

const PASSWORD = "correct horse battery";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

type Owner = { email: string; companyId: string; cookie: string };

async function anOwner({ isRequired = false } = {}): Promise<Owner> {
  const company = await aCompany({
    name: "Northwind Trading",
    secondFactorRequired: isRequired,
    monthlyAllowance: 50_000,
    domainsMax: 5,
    mailboxesMax: 300,
  });
  const email = `ann.lee+${company.id.slice(-4)}@northwind.example`;
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  const admin = await anAdmin(company.id, { isOwner: true, name: "Ann Lee", email, passwordHash });
  const from = { clientAddress: "192.0.2.14", userAgent: FIREFOX };
  return { email, companyId: company.id, cookie: await startSession(db(), admin.id, from) };
}

/** An owner with every kind of factor, two sessions, admins without a second factor, and two companies. */
async function aFullOwner(): Promise<Owner & { secret: string }> {
  const owner = await anOwner();
  const { secret } = await aTotp(owner.email);
  await aPasskeyOf(owner.email, "Work laptop");
  await aPasskeyOf(owner.email, "Key on my keyring");
  const other = await aCompany({ name: "Fabrikam Services" });
  const there = await anAdmin(other.id, { email: owner.email, name: "Ann Lee" });
  const phone = { clientAddress: "2001:db8:12:7::5", userAgent: IPHONE };
  await startSession(db(), there.id, phone);
  for (const name of ["Ben Okafor", "Carla Díaz"]) {
    const email = `${name.split(" ")[0]!.toLowerCase()}+${owner.companyId.slice(-4)}@northwind.example`;
    const admin = await anAdmin(owner.companyId, { name, email, privileges: ["api_controls"] });
    await startSession(db(), admin.id, phone);
  }
  await anApiKey(owner.companyId, { creatorId: there.id }).catch(() => null);
  return { ...owner, secret };
}

/** Sign-in with a second factor, password reset, the profile, and company settings. */
export async function profileShots(): Promise<Shot[]> {
  const full = await aFullOwner();
  const bare = await anOwner();
  const due = await anOwner({ isRequired: true });
  const without = await anAdmin(full.companyId, { privileges: ["api_controls"] });
  const none = { cookie: await startSession(db(), without.id) };
  const link = new URL(await createResetLink(db(), bare.email, { isMailed: true }));
  const reset = "/console/reset-password";
  const profile = (tab: string) => `/console/profile?tab=${tab}`;
  const settings = (tab: string) => `/console/settings?tab=${tab}`;
  return [
    {
      name: "sign-in-second-step",
      path: "/console/sign-in",
      act: (page) => submitPassword(page, full),
    },
    {
      name: "sign-in-recovery",
      path: "/console/sign-in",
      act: (page) => submitWrongRecoveryCode(page, full),
    },
    { name: "reset-password", path: reset },
    { name: "reset-password-sent", path: reset, act: (page) => requestResetLink(page) },
    {
      name: "reset-password-link",
      path: `${reset}${link.hash}`,
      act: (page) => waitUntilLoaded(page),
    },
    { name: "reset-password-over", path: `${reset}#over`, act: (page) => waitForExpiredLink(page) },
    { name: "profile", path: "/console/profile", as: full },
    { name: "profile-notifications", path: profile("notifications"), as: full },
    { name: "profile-security", path: profile("security"), as: full },
    { name: "profile-security-none", path: profile("security"), as: bare },
    { name: "profile-sessions", path: profile("sessions"), as: full },
    { name: "profile-due", path: "/console/profile", as: due },
    { name: "profile-loading", path: "/console/profile", as: full, before: stallRequests },
    { name: "profile-error", path: "/console/profile", as: full, before: failRequests },
    { name: "profile-app", path: profile("security"), as: bare, act: (page) => setUpApp(page) },
    {
      name: "profile-codes",
      path: profile("security"),
      as: due,
      act: (page) => showRecoveryCodes(page),
    },
    {
      name: "profile-passkey",
      path: profile("security"),
      as: bare,
      act: (page) => openPasskeyDialog(page),
    },
    {
      name: "profile-remove",
      path: profile("security"),
      as: full,
      act: (page) => openRemoveDialog(page),
    },
    { name: "settings-company", path: "/console/settings", as: full },
    { name: "settings-access", path: settings("access"), as: full },
    { name: "settings-access-none", path: settings("access"), as: bare },
    {
      name: "settings-require",
      path: settings("access"),
      as: full,
      act: (page) => openSecondFactorPrompt(page),
    },
    { name: "settings-usage", path: settings("usage"), as: full, before: mockHighUsage },
    { name: "settings-sessions", path: settings("sessions"), as: full },
    { name: "settings-loading", path: "/console/settings", as: full, before: stallRequests },
    { name: "settings-error", path: "/console/settings", as: full, before: failRequests },
    { name: "settings-no-privilege", path: "/console/settings", as: none },
  ];
}

async function submitPassword(page: Page, { email }: Owner) {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Code").waitFor();
}

async function submitWrongRecoveryCode(page: Page, owner: Owner) {
  await submitPassword(page, owner);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill("abcd-efgh");
  await page.keyboard.press("Enter");
  await page.getByText("The code is incorrect").waitFor();
}

async function requestResetLink(page: Page) {
  await page.getByLabel("Email address").fill("ann.lee@northwind.example");
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByText("Check your email").waitFor();
}

const waitUntilLoaded = (page: Page) =>
  page.getByRole("button", { name: "Set password" }).waitFor();
const waitForExpiredLink = (page: Page) => page.getByText("This link has expired").waitFor();

async function setUpApp(page: Page) {
  await page.getByRole("button", { name: "Set up app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("img", { name: "QR code" }).waitFor();
}

async function showRecoveryCodes(page: Page) {
  await page.route("**/console/api/secondFactors/confirmTotp", (route) =>
    route.fulfill({
      json: {
        recoveryCodes: Array.from({ length: 10 }, (_, n) =>
          `k7w${n + 2}-m3xq-9rta-hd4p`.replaceAll("1", "q"),
        ),
      },
    }),
  );
  await setUpApp(page);
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent())!;
  await page.getByRole("textbox", { name: "Code" }).fill(totpCode(secret));
  await page.getByRole("button", { name: "Verify code" }).click();
  await page.getByRole("button", { name: "I’ve saved my codes" }).waitFor();
}

async function openPasskeyDialog(page: Page) {
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
}

async function openRemoveDialog(page: Page) {
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByLabel("Authenticator code").waitFor();
}

async function openSecondFactorPrompt(page: Page) {
  await page.getByRole("button", { name: "Require second factor" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Require second factor" }).waitFor();
}

/** Usage close to the monthly limit and at the hourly limit. */
async function mockHighUsage(page: Page) {
  await page.route("**/console/api/settings/getUsage", async (route) => {
    const usage = (await (await route.fetch()).json()) as object;
    const GB = 1024 ** 3;
    await route.fulfill({
      json: {
        ...usage,
        plan: "Business",
        month: { used: 43_120, allowed: 50_000 },
        hour: { used: 450, allowed: 450 },
        scheduled: { used: 1_204, allowed: 20_000 },
        mailboxes: { used: 214, allowed: 300 },
        storage: { usedBytes: 380 * GB, allowedBytes: 1_070 * GB },
      },
    });
  });
}
