import type { Page } from "@playwright/test";

import { createPasswordLink } from "#server/core/mailboxes/sign-in/password-link.ts";

import { aMailboxUser, seedAccount, PASSWORD, verifyIdentity } from "./seed-account.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The mailbox user's pages: sign-in, every page with and without data, and their dialogs. */
export async function accountShots(): Promise<Shot[]> {
  const full = await aMailboxUser();
  await seedAccount(full);
  const empty = await aMailboxUser();
  const due = await aMailboxUser({ forcePasswordChange: true });
  const link = await createPasswordLink(empty.ctx, empty.address);
  const at = (name: string) => `/account/${name}`;
  const pages = ["overview", "set-up", "filters", "forwarding", "vacation", "quarantine"];
  const rest = ["password", "two-factor", "app-passwords", "sessions"];
  return [
    { name: "account-sign-in", path: at("sign-in") },
    { name: "account-set-password", path: `${at("set-password")}${new URL(link).hash}` },
    {
      name: "account-set-password-expired",
      path: `${at("set-password")}#expired`,
      act: (page) => page.getByText("This link no longer works").waitFor(),
    },
    { name: "account-sign-in-wrong", path: at("sign-in"), act: submitWrongSignIn },
    { name: "account-new-password", path: at("overview"), as: due, act: waitForNewPassword },
    {
      name: "account-new-password-weak",
      path: at("new-password"),
      as: due,
      act: submitWeakPassword,
    },
    ...[...pages, ...rest].map((name) => ({
      name: `account-${name}`,
      path: at(name),
      as: full,
      before: mockMailServer,
    })),
    ...["overview", "filters", "app-passwords", "sessions", "quarantine"].map((name) => ({
      name: `account-${name}-empty`,
      path: at(name),
      as: empty,
      before: mockEmptyMailServer,
    })),
    ...["overview", "filters", "sessions"].flatMap((name) => [
      { name: `account-${name}-loading`, path: at(name), as: full, before: stallRequests },
      { name: `account-${name}-error`, path: at(name), as: full, before: failRequests },
    ]),
    { name: "account-sessions-no-mail-server", path: at("sessions"), as: full },
    { name: "account-filters-new", path: at("filters"), as: full, act: openNewFilter },
    { name: "account-filters-refused", path: at("filters"), as: full, act: submitInvalidFilter },
    {
      name: "account-forwarding-refused",
      path: at("forwarding"),
      as: empty,
      act: submitInvalidForward,
    },
    {
      name: "account-forwarding-verify",
      path: at("forwarding"),
      as: empty,
      act: addForward,
    },
    {
      name: "account-app-password-verify",
      path: at("app-passwords"),
      as: empty,
      act: askForAppPassword,
    },
    {
      name: "account-app-password-secret",
      path: at("app-passwords"),
      as: empty,
      act: createAppPassword,
    },
    { name: "account-set-up-apple", path: at("set-up"), as: full, act: openAppleSteps },
    { name: "account-connect", path: `${at("connect")}?email=${full.address}` },
    { name: "account-connect-asking", path: at("connect") },
    { name: "account-connect-unknown", path: `${at("connect")}?email=x@elsewhere.example` },
    { name: "account-unknown-page", path: at("unknown") },
  ];
}

/** Mocks the answers that need Dovecot, which is not running. */
async function mockMailServer(page: Page) {
  await page.route("**/account/api/rules/listScripts", (route) =>
    route.fulfill({ json: { data: [{ name: "sieve-editor", isActive: true }] } }),
  );
  await page.route("**/account/api/sessions/listSessions", async (route) => {
    const answer = await route.fetch();
    const sessions = (await answer.json()) as object;
    const apps = [
      { clientAddress: "198.51.100.23", services: ["imap", "sieve"], connections: 4 },
      { clientAddress: "2001:db8::17", services: ["imap"], connections: 1 },
    ];
    await route.fulfill({ json: { ...sessions, mailApps: apps } });
  });
}

async function mockEmptyMailServer(page: Page) {
  await page.route("**/account/api/rules/listScripts", (route) =>
    route.fulfill({ json: { data: [] } }),
  );
  await page.route("**/account/api/sessions/listSessions", async (route) => {
    const sessions = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...sessions, mailApps: [] } });
  });
}

async function submitWrongSignIn(page: Page) {
  await page.getByLabel("Email address").fill("ann.lee@northwind.example");
  await page.getByRole("textbox", { name: "Password" }).fill("not my password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The address or password is incorrect").waitFor();
}

async function waitForNewPassword(page: Page) {
  await page.getByRole("textbox", { name: "Temporary password" }).waitFor();
}

async function submitWeakPassword(page: Page) {
  await page.getByRole("textbox", { name: "Temporary password" }).fill(PASSWORD);
  await page.getByRole("textbox", { name: "New password", exact: true }).fill("short");
  await page.getByRole("textbox", { name: "Confirm new password" }).fill("short");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("New password must have").waitFor();
}

async function openNewFilter(page: Page) {
  await page.getByRole("button", { name: "Create filter" }).click();
  await page.getByRole("button", { name: "Add condition" }).click();
}

async function submitInvalidFilter(page: Page) {
  await page.getByRole("button", { name: "Edit Invoices" }).click();
  await page.getByLabel("Folder").fill("../x");
  await page.getByRole("button", { name: "Save filter" }).click();
  await page.getByText("isn’t a valid folder name").waitFor();
}

async function submitInvalidForward(page: Page) {
  await page.getByLabel("Address 1").fill("ben@nowhere");
  await page.getByRole("switch", { name: "Keep a copy in this mailbox" }).press("Space");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("isn’t an email address").waitFor();
}

async function addForward(page: Page) {
  await page.getByLabel("Address 1").fill("ann@private.example");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog", { name: "Verify it’s you" }).waitFor();
}

async function askForAppPassword(page: Page) {
  await page.getByRole("button", { name: "Create app password" }).first().click();
  await page.getByLabel("Name").fill("Phone");
  await page.getByRole("dialog").getByRole("button", { name: "Create app password" }).click();
  await page.getByRole("dialog", { name: "Verify it’s you" }).waitFor();
}

async function createAppPassword(page: Page) {
  await askForAppPassword(page);
  await verifyIdentity(page, "Create app password");
  await page.getByRole("button", { name: "I’ve saved it" }).waitFor();
}

async function openAppleSteps(page: Page) {
  await page.getByRole("tab", { name: "Apple Mail" }).click();
  await page.getByRole("link", { name: "Download profile" }).waitFor();
}
