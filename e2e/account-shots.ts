import type { Page } from "@playwright/test";

import { aMailboxPerson, fillAccount, PASSWORD } from "./seed-account.ts";
import { answerWithFailure, neverAnswer, type Shot } from "./shot.ts";

/** The pages of a mailbox user: sign-in, every page full and empty, and their dialogs. */
export async function accountShots(): Promise<Shot[]> {
  const full = await aMailboxPerson();
  await fillAccount(full);
  const empty = await aMailboxPerson();
  const due = await aMailboxPerson({ forcePasswordChange: true });
  const at = (name: string) => `/account/${name}`;
  const pages = ["overview", "set-up", "filters", "forwarding", "vacation"];
  const rest = ["password", "app-passwords", "sessions"];
  return [
    { name: "account-sign-in", path: at("sign-in") },
    { name: "account-sign-in-wrong", path: at("sign-in"), act: signInWrongly },
    { name: "account-new-password", path: at("overview"), as: due, act: untilNewPassword },
    { name: "account-new-password-weak", path: at("new-password"), as: due, act: setWeak },
    ...[...pages, ...rest].map((name) => ({
      ...{ name: `account-${name}`, path: at(name), as: full },
      before: mailServer,
    })),
    ...["overview", "filters", "app-passwords", "sessions"].map((name) => ({
      ...{ name: `account-${name}-empty`, path: at(name), as: empty },
      before: quietMailServer,
    })),
    ...["overview", "filters", "sessions"].flatMap((name) => [
      { name: `account-${name}-loading`, path: at(name), as: full, before: neverAnswer },
      { name: `account-${name}-error`, path: at(name), as: full, before: answerWithFailure },
    ]),
    { name: "account-sessions-no-mail-server", path: at("sessions"), as: full },
    { name: "account-filters-new", path: at("filters"), as: full, act: newFilter },
    { name: "account-filters-refused", path: at("filters"), as: full, act: refusedFilter },
    { name: "account-forwarding-refused", path: at("forwarding"), as: empty, act: forwardToNobody },
    {
      name: "account-app-password-secret",
      path: at("app-passwords"),
      as: empty,
      act: makePassword,
    },
    { name: "account-set-up-apple", path: at("set-up"), as: full, act: openApple },
    { name: "account-connect", path: `${at("connect")}?email=${full.address}` },
    { name: "account-connect-asking", path: at("connect") },
    { name: "account-connect-unknown", path: `${at("connect")}?email=x@elsewhere.example` },
    { name: "account-unknown-page", path: at("unknown") },
  ];
}

/** The answers of Dovecot, which isn't running. */
async function mailServer(page: Page) {
  await page.route("**/account/api/scripts", (route) =>
    route.fulfill({ json: { data: [{ name: "sieve-editor", is_active: true }] } }),
  );
  await page.route("**/account/api/sessions", async (route) => {
    const answer = await route.fetch();
    const sessions = (await answer.json()) as object;
    const apps = [
      { client_address: "198.51.100.23", services: ["imap", "sieve"], connections: 4 },
      { client_address: "2001:db8::17", services: ["imap"], connections: 1 },
    ];
    await route.fulfill({ json: { ...sessions, mail_apps: apps } });
  });
}

async function quietMailServer(page: Page) {
  await page.route("**/account/api/scripts", (route) => route.fulfill({ json: { data: [] } }));
  await page.route("**/account/api/sessions", async (route) => {
    const sessions = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...sessions, mail_apps: [] } });
  });
}

async function signInWrongly(page: Page) {
  await page.getByLabel("Email address").fill("ann.lee@northwind.example");
  await page.getByRole("textbox", { name: "Password" }).fill("not my password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The address or password is incorrect").waitFor();
}

async function untilNewPassword(page: Page) {
  await page.getByRole("textbox", { name: "Temporary password" }).waitFor();
}

async function setWeak(page: Page) {
  await page.getByRole("textbox", { name: "Temporary password" }).fill(PASSWORD);
  await page.getByRole("textbox", { name: "New password", exact: true }).fill("short");
  await page.getByRole("textbox", { name: "Confirm new password" }).fill("short");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("New password must have").waitFor();
}

async function newFilter(page: Page) {
  await page.getByRole("button", { name: "Create filter" }).click();
  await page.getByRole("button", { name: "Add condition" }).click();
}

async function refusedFilter(page: Page) {
  await page.getByRole("button", { name: "Edit Invoices" }).click();
  await page.getByLabel("Folder").fill("../x");
  await page.getByRole("button", { name: "Save filter" }).click();
  await page.getByText("isn't a valid folder name").waitFor();
}

async function forwardToNobody(page: Page) {
  await page.getByLabel("Address 1").fill("ben@nowhere");
  await page.getByRole("switch", { name: "Keep a copy in this mailbox" }).press("Space");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("isn't an email address").waitFor();
}

async function makePassword(page: Page) {
  await page.getByRole("button", { name: "Create app password" }).first().click();
  await page.getByLabel("Name").fill("Phone");
  await page.getByRole("dialog").getByRole("button", { name: "Create app password" }).click();
  await page.getByRole("button", { name: "I’ve saved it" }).waitFor();
}

async function openApple(page: Page) {
  await page.getByRole("tab", { name: "Apple Mail" }).click();
  await page.getByRole("link", { name: "Download profile" }).waitFor();
}
