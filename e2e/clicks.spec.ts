import type { Locator, Page } from "@playwright/test";

import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import { aDomain, aGroup, aMailbox, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { expect, test } from "./mail-server.ts";
import { quarantinedMessages } from "./seed-quarantine.ts";
import { seedEmails } from "./seed.ts";
import { anEvent, UNAVAILABLE_ATTEMPT } from "./seed-webhooks.ts";

/** The table of app/README.md: clicks until the task is done, once the list is open. */
const CLICKS_MAX = 3;

type Task = {
  list: string;
  /** Shown once the list is hydrated. */
  ready: (page: Page) => Locator;
  act: (page: Page) => Promise<void>;
  /** Shown once the task is done. */
  done: (page: Page) => Locator;
};

const PRIVILEGES: Privilege[] = [
  ...(["api_controls", "domains", "view_users", "create_users", "update_users"] as const),
  ...(["suspend_users", "reset_user_passwords", "view_groups", "manage_groups"] as const),
  "manage_admins",
];

const row = (page: Page, name: RegExp) => page.getByRole("row", { name });
const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first();
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const inDialog = (page: Page, name: string | RegExp) =>
  page.getByRole("dialog").getByRole("button", { name });

/** Types as a person does: a field that isn't focused already costs a click. */
async function type(page: Page, name: string, text: string) {
  const field = page
    .getByRole("textbox", { name, exact: true })
    .or(page.getByRole("combobox", { name, exact: true }));
  await expect(field).toBeVisible();
  const isFocused = await field.evaluate((element) => element === document.activeElement);
  if (!isFocused) await field.click();
  await page.keyboard.type(text);
}

async function fromRowMenu(page: Page, address: RegExp, action: string | RegExp) {
  await row(page, address)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

const TASKS: Record<string, Task> = {
  "create a mailbox": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page) {
      await link(page, "Create mailbox").click();
      await type(page, "Name", "Zoe Lee");
      await page.keyboard.press("Tab");
      await type(page, "Address", "zoe.lee");
      await button(page, "Create mailbox").click();
    },
    done: (page) => page.getByRole("dialog").locator("code").first(),
  },
  "reset a password": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page) {
      await fromRowMenu(page, /amy@/, "Reset password");
      await inDialog(page, "Reset 1 password").click();
    },
    done: (page) => page.getByText("Reset: 1 mailbox."),
  },
  "suspend a mailbox": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page) {
      await fromRowMenu(page, /amy@/, "Suspend mailbox");
      await inDialog(page, "Suspend 1 mailbox").click();
    },
    done: (page) => page.getByText("Suspended: 1 mailbox."),
  },
  "create an alias": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /bob@/),
    async act(page) {
      await link(page, /^bob@/).click();
      await type(page, "New alias", "sales");
      await button(page, "Add alias").click();
    },
    done: (page) => page.getByRole("button", { name: /^Remove sales@/ }),
  },
  "create a group": {
    list: "/console/groups",
    ready: (page) => row(page, /all@/),
    async act(page) {
      await link(page, "Create group").click();
      await type(page, "Address", "support");
      await page.keyboard.press("Tab");
      await button(page, "Create group").click();
    },
    done: (page) => page.getByRole("heading", { level: 1, name: /^support@/ }),
  },
  "add a member": {
    list: "/console/groups",
    ready: (page) => row(page, /all@/),
    async act(page) {
      await link(page, /^all@/).click();
      await type(page, "Add members", "carla@agency.example");
      await button(page, "Add members").click();
    },
    done: (page) => page.getByRole("button", { name: "Remove carla@agency.example" }),
  },
  "create an API key": {
    list: "/console/api-keys",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page) {
      await link(page, "Create API key").click();
      await type(page, "Name", "Shop");
      await button(page, "Create API key").click();
    },
    done: (page) => page.getByRole("dialog", { name: "Your API key" }),
  },
  "verify a domain": {
    list: "/console/domains",
    ready: (page) => row(page, /^pending-/),
    async act(page) {
      await link(page, /^pending-/).click();
      await button(page, "Check records").click();
    },
    done: (page) => page.getByText(/checked (just now|\d+ seconds ago)/i).first(),
  },
  "replay a webhook event": {
    list: "/console/webhooks",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page) {
      await link(page, /hooks\.northwind/).click();
      await page.getByRole("button", { name: /^Replay msg_/ }).click();
    },
    done: (page) => page.getByText(/Pending|Queued|Waiting|2 attempts/).first(),
  },
  "find an email by recipient": {
    list: "/console/emails",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page) {
      await page.getByRole("searchbox").click();
      await page.keyboard.type("dmitri");
    },
    done: (page) => page.getByText(/dmitri/).first(),
  },
  "release a quarantined message": {
    list: "/console/quarantine",
    ready: (page) => row(page, /claim your prize/i).first(),
    async act(page) {
      await row(page, /claim your prize/i)
        .first()
        .getByRole("checkbox")
        .click();
      await button(page, "Release").click();
      await inDialog(page, "Release 1 message").click();
    },
    done: (page) => page.getByText(/1 message released/i),
  },
  "invite an admin": {
    list: "/console/team",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page) {
      await button(page, "Invite admin").click();
      await type(page, "Email address", "nia@northwind.example");
      await page.getByRole("checkbox").first().click();
      await inDialog(page, "Send invitation").click();
    },
    done: (page) => page.getByRole("dialog", { name: "Invitation sent" }),
  },
};

test("the commonest tasks take at most three clicks once the list is open", async ({
  page,
  signIn,
}) => {
  // Twelve tasks, each of which would be a test of its own elsewhere.
  test.slow();
  const me = await signIn({ isOwner: true, privileges: PRIVILEGES });
  const { companyId } = me;
  const domain = await aDomain(companyId);
  const tail = companyId.slice(-6);
  await aDomain(companyId, { name: `pending-${tail}.test`, status: "pending" });
  for (const name of ["amy", "bob"]) await aMailbox(domain, { address: `${name}@${domain.name}` });
  await aGroup(domain, { address: `all@${domain.name}`, members: [`amy@${domain.name}`] });
  await anApiKey(companyId);
  const webhook = await aWebhook(companyId, { endpoint: "https://hooks.northwind.example/in" });
  await anEvent(webhook, { attempts: [UNAVAILABLE_ATTEMPT], status: "failed" });
  await quarantinedMessages(companyId);
  await seedEmails(me, 40);

  // Survives navigation, and counts what reaches the page.
  await page.addInitScript(() => {
    addEventListener(
      "pointerdown",
      () => sessionStorage.setItem("clicks", String(Number(sessionStorage.getItem("clicks")) + 1)),
      { capture: true },
    );
  });
  const clicks: Record<string, number> = {};
  for (const [name, { list, ready, act, done }] of Object.entries(TASKS)) {
    await page.goto(list);
    await expect(ready(page)).toBeVisible();
    await page.evaluate(() => sessionStorage.removeItem("clicks"));
    await act(page);
    await expect(done(page)).toBeVisible();
    clicks[name] = await page.evaluate(() => Number(sessionStorage.getItem("clicks")));
  }
  for (const [name, count] of Object.entries(clicks))
    expect(count, name).toBeLessThanOrEqual(CLICKS_MAX);
});
