import { hash } from "@node-rs/argon2";
import type { Locator, Page } from "@playwright/test";

import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { PRIVILEGES, type Person, seedTasks, TASKS } from "./commonest-tasks.ts";
import { expect, test } from "./mail-server.ts";
import { aMailboxUser, PASSWORD } from "./seed-account.ts";
import { openUserMenu } from "./session.ts";

/** Types key by key: Playwright's `fill` doesn't reach React in this browser. */
async function type(page: Page, field: Locator, text: string) {
  await field.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

const personAt = (page: Page): Person => ({
  press: (target) => target.click(),
  type: (field, text) => type(page, field, text),
  tab: () => page.keyboard.press("Tab"),
});

for (const [name, { list, ready, act, done }] of Object.entries(TASKS))
  test(name, async ({ page, signIn }) => {
    await seedTasks(await signIn({ isOwner: true, privileges: PRIVILEGES }));
    await page.goto(list);
    await expect(ready(page)).toBeVisible();
    await act(page, personAt(page));
    await expect(done(page)).toBeVisible();
  });

test("sign in to the console, choose the dark theme and sign out", async ({ page, appliance }) => {
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  const admin = await anAdmin((await aCompany()).id, { passwordHash, isOwner: true });
  await page.goto(`${appliance.url}/console`);
  await type(page, page.getByLabel("Email address"), admin.email);
  await type(page, page.getByRole("textbox", { name: "Password" }), PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await openUserMenu(page);
  await page.getByText("Dark", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  // The menu stays open.
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/console\/sign-in/);
});

test("find a page with the search", async ({ page, signIn }) => {
  await signIn({ isOwner: true, privileges: PRIVILEGES });
  await page.goto("/console/overview");
  await page.getByRole("button", { name: "Search" }).click();
  await type(page, page.getByRole("dialog").getByRole("combobox"), "webhooks");
  await expect(page.getByRole("option", { name: "Webhooks Build" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
});

test("write a vacation reply as a mailbox user", async ({ page, appliance }) => {
  const { address } = await aMailboxUser();
  await page.goto(`${appliance.url}/account/vacation`);
  await type(page, page.getByLabel("Email address"), address);
  await type(page, page.getByRole("textbox", { name: "Password" }), PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("switch", { name: "Send automatic replies" }).press("Space");
  await type(page, page.getByLabel("Subject"), "Away");
  await type(page, page.getByLabel("Message"), "Back on Monday.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved. Replies are sent.")).toBeVisible();
});
