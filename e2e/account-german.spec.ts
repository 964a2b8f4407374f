// cspell:disable
import type { Page } from "@playwright/test";

import { newToken, startStep } from "#server/core/access/sign-in/steps.ts";
import { db } from "#server/db/pool.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { aMailboxUser, PASSWORD, seedQuarantine } from "./seed-account.ts";
import { signInWithCookie } from "./session.ts";

const NEW_PASSWORD = "seven green umbrellas";

test.use({ locale: "de-DE" });

const textbox = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

const verifyIdentity = async (page: Page, verb: string) => {
  const dialog = page.getByRole("dialog", { name: "Identität bestätigen" });
  await dialog.getByRole("textbox", { name: "Ihr Passwort" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: verb }).click();
};

test.describe("in a German browser", () => {
  test.use({ expectedConsoleErrors: /status of (401|422|500)/ });

  test("a mailbox user signs in, changes the password and the rules", async ({
    page,
    appliance,
  }) => {
    const { address } = await aMailboxUser();
    const answer = await page.goto(`${appliance.url}/account/sign-in`);
    const html = await answer!.text();
    expect(html).toContain('<html lang="de"');
    expect(html).toContain("Ihr Postfach");
    await expect(page).toHaveTitle("Anmelden · Postfach");
    await expectNoPageFaults(page);
    await textbox(page, "E-Mail-Adresse").fill(address);
    await textbox(page, "Passwort").fill("wrong");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Die Adresse oder das Passwort ist falsch.")).toBeVisible();
    await textbox(page, "Passwort").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(page.getByText("0 Byte von 256 MB belegt, 0 E-Mails")).toBeVisible();

    await page.getByRole("link", { name: "Weiterleitung", exact: true }).click();
    await page.getByLabel("Adresse 1").fill("ben");
    await page.getByRole("button", { name: "Änderungen speichern" }).click();
    await expect(page.getByText("ben ist keine E-Mail-Adresse", { exact: true })).toBeVisible();
    await page.getByLabel("Adresse 1").fill("ben@example.net");
    await page.getByRole("button", { name: "Änderungen speichern" }).click();
    await verifyIdentity(page, "Änderungen speichern");
    await expect(
      page.getByText(
        "Gespeichert. E-Mails werden an die Adressen weitergeleitet, die zugestimmt haben.",
      ),
    ).toBeVisible();

    await page.getByRole("link", { name: "Abwesenheitsnotiz" }).click();
    await page.getByRole("switch", { name: "Abwesenheitsnotiz senden" }).press("Space");
    await page.getByRole("button", { name: "Änderungen speichern" }).click();
    await expect(page.getByText("Betreff ist erforderlich")).toBeVisible();
    await page.getByLabel("Letzter Tag").fill("2099-12-24");
    await textbox(page, "Betreff").fill("Nicht im Büro");
    await textbox(page, "Nachricht").fill("Ich bin bald zurück.");
    await page.getByRole("button", { name: "Änderungen speichern" }).click();
    await expect(page.getByText("bis 24. Dezember 2099 gesendet").first()).toBeVisible();

    await page.getByRole("link", { name: "Passwort", exact: true }).click();
    await textbox(page, "Aktuelles Passwort").fill(PASSWORD);
    await textbox(page, "Neues Passwort").fill("kurz");
    await textbox(page, "Neues Passwort wiederholen").fill("kurz");
    await page.getByRole("button", { name: "Passwort festlegen" }).click();
    await expect(page.getByText("Neues Passwort muss mindestens 12 Zeichen haben")).toBeVisible();
    await textbox(page, "Neues Passwort").fill(NEW_PASSWORD);
    await textbox(page, "Neues Passwort wiederholen").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Passwort festlegen" }).click();
    await expect(page.getByText("Passwort geändert.")).toBeVisible();
  });

  test("a mailbox user creates an app password and a filter", async ({ page, appliance }) => {
    const user = await aMailboxUser();
    await signInWithCookie(page, appliance.url, user.cookie);
    await page.goto(`${appliance.url}/account/app-passwords`);
    await page.getByRole("button", { name: "App-Passwort erstellen" }).first().click();
    await textbox(page, "Name").fill("Laptop");
    await page.keyboard.press("Enter");
    await verifyIdentity(page, "App-Passwort erstellen");
    await page.getByRole("button", { name: "Ich habe es gespeichert" }).click();
    await expect(page.getByText("Noch nie verwendet")).toBeVisible();
    await expect(page.getByText("Erstellt: gerade eben")).toBeVisible();

    await page.getByRole("link", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: "Filter erstellen" }).first().click();
    await textbox(page, "Name").fill("Rechnungen");
    await textbox(page, "Wert von Bedingung 1").fill("shop");
    await textbox(page, "Ordner").fill("Rechnungen");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Absender enthält „shop“")).toBeVisible();
    await expect(page.getByText("Nach „Rechnungen“ verschieben")).toBeVisible();
  });

  test("every page is German, accessible and fits phones", async ({ page, appliance }) => {
    const user = await aMailboxUser();
    await seedQuarantine(user);
    const token = newToken();
    await startStep(db(), {
      token,
      kind: "mailbox_password",
      mailbox: user.address,
      minutes: 5,
    });
    const visit = async (path: string, title: string) => {
      await page.goto(`${appliance.url}/account/${path}`);
      await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
      await expect(page.getByRole("status", { name: /^Wird geladen/ })).toHaveCount(0);
      await expectNoPageFaults(page);
      const words = await page.locator("body").innerText();
      expect(words).not.toMatch(/\b(the|your|and|with|Password|Settings|Loading)\b/);
    };
    await visit(`connect?email=${user.address}`, "Mail-App verbinden");
    await visit(`set-password#${token}`, "Passwort wählen");
    await signInWithCookie(page, appliance.url, user.cookie);
    for (const [path, title] of [
      ["overview", "Übersicht"],
      ["set-up", "Mail-Apps einrichten"],
      ["filters", "Filter"],
      ["forwarding", "Weiterleitung"],
      ["vacation", "Abwesenheitsnotiz"],
      ["quarantine", "Quarantäne"],
      ["password", "Passwort"],
      ["two-factor", "Zwei-Faktor-Authentifizierung"],
      ["app-passwords", "App-Passwörter"],
      ["sessions", "Sitzungen"],
      ["nowhere", "Seite nicht gefunden"],
    ] as const)
      await visit(path, title);
  });
});

test("a mailbox user chooses a language other than the browser's", async ({ page, appliance }) => {
  const { cookie } = await aMailboxUser();
  await signInWithCookie(page, appliance.url, cookie);
  await page.goto(`${appliance.url}/account/overview`);
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("English");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.context().clearCookies({ name: "posthouse_language" });
  await page.goto(`${appliance.url}/account/vacation`);
  await expect(page.getByRole("heading", { name: "Automatic replies" })).toBeVisible();
  await page.goto(`${appliance.url}/account/overview`);
  await page.getByRole("combobox", { name: "Language" }).selectOption("Your browser’s language");
  await expect(page.getByRole("heading", { name: "Übersicht" })).toBeVisible();
});

test("a page that the browser translates isn't loaded again", async ({ page, appliance }) => {
  const { cookie, address } = await aMailboxUser();
  await signInWithCookie(page, appliance.url, cookie);
  await page.addInitScript(() => {
    sessionStorage.setItem("loads", `${Number(sessionStorage.getItem("loads")) + 1}`);
  });
  const isHydrated = () =>
    page.evaluate(() => {
      const main = document.querySelector("main") ?? {};
      return Object.keys(main).some((key) => key.startsWith("__react"));
    });
  await page.route("**/account/api/sessions/getMe", async (route) => {
    // The browser requests it before the page's scripts, which read the language, have loaded.
    await expect.poll(isHydrated).toBe(true);
    await page.evaluate(() => document.documentElement.setAttribute("lang", "fr"));
    await route.continue();
  });
  await page.goto(`${appliance.url}/account/overview`);
  await expect(page.getByText(address).first()).toBeVisible();
  await page.getByRole("link", { name: "Weiterleitung", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Weiterleitung" })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem("loads"))).toBe("1");
});

test("the console stays English in a German browser", async ({ page, appliance }) => {
  await page.goto(`${appliance.url}/console/sign-in`);
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
});
