import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { requireSecondFactor } from "#server/testing/changed-admins.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { signInWithCookie, signOut } from "./session.ts";
import { seedEmails } from "./seed.ts";
import { aCheckedDomain } from "./seed-domains.ts";

const palette = { name: "Search pages, commands, emails, addresses, and IDs" };

test("the navigation contains only pages that the admin can open", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/domains");
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link", { name: "Domains" })).toBeVisible();
  await expect(navigation.getByRole("link")).toHaveText(["Overview", "API reference", "Domains"]);
  await expect(page.getByRole("link", { name: "Operate" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Companies" })).toBeHidden();
});

test("an admin of several companies switches to another", async ({ page, signIn }) => {
  const { email } = await signIn();
  const second = await aCompany({ name: "Southwind Ltd" });
  await anAdmin(second.id, { email, name: "Ann Lee", privileges: ["domains"] });
  await page.goto("/console/emails");
  await page.getByRole("button", { name: "Northwind Trading" }).click();
  await expect(page.getByRole("menuitem", { name: "Northwind Trading" })).toBeFocused();
  await expectNoPageFaults(page, [{ width: 1440, colorScheme: "light" }]);
  await page.getByRole("menuitem", { name: "Southwind Ltd" }).click();
  await expect(page.getByRole("button", { name: "Southwind Ltd" })).toBeVisible();
  await expect(
    page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Emails" }),
  ).toBeHidden();
});

test("every page redirects to the setup of a required second factor", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await requireSecondFactor(companyId);
  await page.goto("/console/emails");
  await expect(page).toHaveURL(/\/console\/profile$/);
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link")).toHaveCount(0);
});

test("the palette navigates, runs commands and searches with the keyboard alone", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const name = `zebra-${companyId.slice(-6)}.example`;
  const domain = await aCheckedDomain(companyId, name);
  await page.goto("/console/emails");
  await page.getByRole("navigation", { name: "Console" }).getByText("Emails").waitFor();

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", palette)).toBeFocused();
  await page.keyboard.type("webh");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/webhooks$/);
  // Focus moves to the title, so that screen readers announce the page.
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeFocused();

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", palette)).toBeFocused();
  await page.keyboard.type("zebra-");
  await expect(page.getByRole("option", { name: name })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/console/domains/${domain.id}$`));

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", palette)).toBeFocused();
  await page.keyboard.type("create gr");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/groups\/new$/);
});

test("the palette opens centered, with the best match first", async ({ page, signIn }) => {
  await signIn({ isOwner: true });
  await page.goto("/console/overview");
  await page.getByRole("navigation", { name: "Console" }).getByText("Emails").waitFor();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", palette);
  await expect(field).toBeFocused();
  const box = (await page.getByRole("dialog", { name: "Search and commands" }).boundingBox())!;
  const [left, right] = [box.x, 1440 - box.x - box.width];
  expect({ width: box.width, isCentered: Math.abs(left - right) <= 1 }).toEqual({
    width: 600,
    isCentered: true,
  });
  expect(box.y).toBeGreaterThan(100);

  const options = page.getByRole("option");
  for (const [typed, first] of [
    ["sso", /^Single sign-on/],
    ["quota", /^Mailboxes by storage used/],
    ["password", /^Reset password for/],
  ] as const) {
    await field.fill(typed);
    await expect(options.last()).toHaveText(`Search all emails for “${typed}”`);
    await expect(options.first()).toHaveText(first);
  }
});

test("the palette opens create dialogs, and the URL does not keep that", async ({
  page,
  signIn,
}) => {
  await signIn({ isOwner: true });
  await page.goto("/console/emails");
  await page.getByRole("navigation", { name: "Console" }).getByText("Emails").waitFor();
  const runCommand = async (words: string) => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", palette)).toBeFocused();
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };
  await runCommand("add dom");
  await expect(page.getByRole("dialog", { name: "Create domain" })).toBeVisible();
  await expect(page).toHaveURL(/\/console\/domains$/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Create domain" })).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();

  await runCommand("invite");
  await expect(page.getByRole("dialog", { name: "Invite admin" })).toBeVisible();
  await expect(page).toHaveURL(/\/console\/team$/);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  await runCommand("create api");
  await expect(page.getByRole("heading", { level: 1, name: "Create API key" })).toBeVisible();
});

test("admins who can't create domains aren't offered it", async ({ page, signIn }) => {
  await signIn({ privileges: ["api_controls"] });
  await page.goto("/console/domains?new");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("the palette finds emails, changes the theme and signs out", async ({ page, signIn }) => {
  const me = await signIn({ isOwner: true });
  const [email] = await seedEmails(me, 1);
  await page.goto("/console/help");
  await page.getByRole("navigation", { name: "Console" }).getByText("Emails").waitFor();
  const type = async (words: string) => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", palette)).toBeFocused();
    await page.keyboard.type(words);
  };
  await type(email!.subject.slice(0, 9));
  await page.getByRole("option", { name: /^Search all emails/ }).waitFor();
  await page.getByRole("option", { name: new RegExp(email!.subject) }).click();
  await expect(page).toHaveURL(new RegExp(`/console/emails/${email!.id}$`));

  await type("dark mode");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await type("sign out");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/sign-in/);
});

test("the palette offers only what the admin can do", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/domains");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await page.getByRole("button", { name: "Search" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("option", { name: "Create domain" })).toBeVisible();
  await expect(dialog.getByRole("option", { name: /API key|mailbox|Invite|Webhooks/ })).toHaveCount(
    0,
  );
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("g and a letter open a page, ? lists the shortcuts, and text fields ignore both", async ({
  page,
  signIn,
}) => {
  await signIn({ isOwner: true });
  await page.goto("/console/emails");
  await page.getByRole("navigation", { name: "Console" }).getByText("Webhooks").waitFor();
  // On a slow machine the second key may come too late for the first.
  await expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await expect(page).toHaveURL(/\/console\/webhooks$/, { timeout: 2_000 });
  }).toPass();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page).toHaveURL(/\/console\/webhooks$/);

  await page.goto("/console/groups/new");
  const field = page.getByRole("textbox").first();
  await field.click();
  await page.keyboard.type("g?ew");
  await expect(field).toHaveValue("g?ew");
});

test("the first Tab focuses the skip link", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/webhooks");
  await page.getByRole("navigation", { name: "Console" }).getByText("Emails").waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(
    await page.evaluate(() => document.getElementById("content")!.contains(document.activeElement)),
  ).toBe(true);
});

test("the browser's title says what a page shows", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn({ isOwner: true });
  const { id } = await aCheckedDomain(companyId, `title-${companyId.slice(-6)}.example`);
  await page.goto(`/console/domains/${id}`);
  await expect(page).toHaveTitle(`title-${companyId.slice(-6)}.example · Domains · Posthouse`);
  await page.getByRole("link", { name: "Domains" }).first().click();
  await expect(page).toHaveTitle("Domains · Posthouse");
  await page.getByRole("link", { name: domain }).click();
  await expect(page).toHaveTitle(`${domain} · Domains · Posthouse`);
  await page.goBack();
  await expect(page).toHaveTitle("Domains · Posthouse");
});

test("the active navigation entry is scrolled into view without moving where Tab starts", async ({
  page,
  signIn,
}) => {
  // Some browser versions move the start on scrollIntoView, so nothing may call it on load.
  await page.addInitScript(() => {
    const calls: string[] = [];
    Object.assign(window, { scrolledIntoView: calls });
    Element.prototype.scrollIntoView = function () {
      calls.push(this.outerHTML.slice(0, 100));
    };
  });
  await page.setViewportSize({ width: 1440, height: 320 });
  await signIn({ isOwner: true });
  await page.goto("/console/audit");
  const navigation = page.getByRole("navigation", { name: "Console" });
  const entry = navigation.getByRole("link", { name: "Audit log" });
  await expect(entry).toHaveAttribute("aria-current", "page");
  await expect(entry).toBeInViewport({ ratio: 1 });
  expect(await navigation.evaluate((list) => list.scrollTop)).toBeGreaterThan(0);
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "scrolledIntoView") as unknown)).toEqual([]);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});

test.describe("foreign code", () => {
  test.use({ expectedConsoleErrors: /Content Security Policy/ });

  test("does not run in a page, however it is injected", async ({ page, signIn }) => {
    await signIn();
    await page.goto("/console/emails");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const ran = await page.evaluate(async () => {
      const script = document.createElement("div");
      script.innerHTML = `<img src="/none" onerror="window.ran = true">`;
      document.body.append(script);
      const parsed = new DOMParser().parseFromString(
        "<script>window.ran = true</script>",
        "text/html",
      );
      document.body.append(document.importNode(parsed.scripts[0]!, true));
      const link = document.createElement("a");
      link.href = "javascript:window.ran = true";
      document.body.append(link);
      link.click();
      await fetch("https://elsewhere.example/").then(
        () => (Object.assign(window, { ran: true }), 0),
        () => 0,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      return "ran" in window;
    });
    expect(ran).toBe(false);
  });
});

test("signing out leaves no data in the browser", async ({ page, appliance }) => {
  const company = await aCompany({ name: "Northwind Trading" });
  const admin = await anAdmin(company.id, { privileges: ["api_controls"], name: "Ann Lee" });
  await signInWithCookie(page, appliance.url, await startSession(db(), admin.id));
  await page.goto("/console/emails");
  await signOut(page);
  await expect(page).toHaveURL(/\/console\/sign-in/);
  await page.goBack();
  await expect(page).toHaveURL(/\/console\/sign-in/);
});
