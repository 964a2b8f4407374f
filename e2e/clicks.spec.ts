import type { Locator, Page } from "@playwright/test";

import { emails } from "#drizzle/schema/index.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aMailbox } from "#server/testing/factories.ts";

import { PRIVILEGES, type Person, seedTasks, TASKS } from "./commonest-tasks.ts";
import { expect, test } from "./mail-server.ts";
import { aMailboxUser } from "./seed-account.ts";
import { companyDomain } from "./seed-mailboxes.ts";
import { anOperator } from "./seed-operate.ts";
import { signInWithCookie } from "./session.ts";

/** The table of app/README.md: clicks until the task is done, once the list is open. */
const CLICKS_MAX = 3;

/** From the overview, with the page's own link. */
const CLICKS_FROM_OVERVIEW_MAX = 4;

/** Counts the clicks that reach the page, across navigation. */
async function countClicks(page: Page) {
  await page.addInitScript(() => {
    addEventListener(
      "pointerdown",
      () => sessionStorage.setItem("clicks", String(Number(sessionStorage.getItem("clicks")) + 1)),
      { capture: true },
    );
  });
  return {
    begin: () => page.evaluate(() => sessionStorage.removeItem("clicks")),
    read: () => page.evaluate(() => Number(sessionStorage.getItem("clicks"))),
  };
}

test("the commonest tasks take at most three clicks once the list is open", async ({
  page,
  signIn,
}) => {
  // Twelve tasks, each of which would be a test of its own elsewhere.
  test.slow();
  await seedTasks(await signIn({ isOwner: true, privileges: PRIVILEGES }));

  const person: Person = {
    press: (target) => target.click(),
    // A field that isn't focused already costs a click.
    async type(field, text) {
      await expect(field).toBeVisible();
      const isFocused = await field.evaluate((element) => element === document.activeElement);
      if (!isFocused) await field.click();
      await page.keyboard.type(text);
    },
    tab: () => page.keyboard.press("Tab"),
  };
  const clicks = await countClicks(page);
  const counts: Record<string, number> = {};
  for (const [name, { list, ready, act, done }] of Object.entries(TASKS)) {
    await page.goto(list);
    await expect(ready(page)).toBeVisible();
    await clicks.begin();
    await act(page, person);
    await expect(done(page)).toBeVisible();
    counts[name] = await clicks.read();
  }
  for (const [name, count] of Object.entries(counts))
    expect(count, name).toBeLessThanOrEqual(CLICKS_MAX);
});

/** Names of what is clicked one after another; fields to type into have their text. */
type Click = string | RegExp | ((page: Page) => Locator);
type Journey = { steps: (Click | [field: string, text: string])[]; done: (page: Page) => Locator };

const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole("heading", { level: 1, name });
const inRow = (row: RegExp, button: RegExp) => (page: Page) =>
  page.getByRole("row", { name: row }).getByRole("button", { name: button });
const inDialog = (button: string) => (page: Page) =>
  page.getByRole("dialog").getByRole("button", { name: button });

const list = Array.from({ length: 30 }, (_, i) => `new${i}@DOMAIN,Person ${i}`);

/** Twelve tasks that admins do most, as they start from the overview. */
const FROM_OVERVIEW: Record<string, Journey> = {
  "create a mailbox": {
    steps: ["Mailboxes", "Create mailbox", ["Name", "Zoe Lee"], "Create mailbox", "I’ve saved it"],
    done: heading(/^zoe/),
  },
  "reset a password": {
    steps: [
      "Mailboxes",
      inRow(/amy@/, /^Actions for/),
      (page) => page.getByRole("menuitem", { name: "Reset password" }),
      inDialog("Reset 1 password"),
    ],
    done: (page) => page.getByText("Reset: 1 mailbox."),
  },
  "create a domain": {
    steps: [
      "Domains",
      "Create domain",
      ["Domain name", "new-northwind.dev"],
      inDialog("Create domain"),
    ],
    done: heading(/^new-/),
  },
  "see why an email bounced": {
    steps: ["Emails", /^nobody@/],
    done: (page) => page.getByText(/doesn’t exist|bounced/i).first(),
  },
  "create a webhook and send it a test event": {
    steps: [
      "Webhooks",
      "Create webhook",
      ["Endpoint", "https://hooks.example.com/in"],
      "Create webhook",
      inDialog("Send test event"),
    ],
    done: heading(/^email\./),
  },
  "invite an admin with few privileges": {
    steps: [
      "Team",
      "Invite admin",
      ["Email address", "nia@northwind.example"],
      (page) => page.getByRole("checkbox", { name: /^Help desk/ }),
      inDialog("Send invitation"),
    ],
    done: (page) => page.getByRole("dialog", { name: "Invitation sent" }),
  },
  "restrict a key to addresses": {
    steps: ["API keys", /^Test key/, ["Allowed IP addresses", "192.0.2.0/24"], "Save access"],
    done: (page) => page.getByText("Access saved"),
  },
  "restore a deleted mailbox": {
    steps: ["Deleted", /^Restore gone@/],
    done: (page) => page.getByText(/^gone@.* restored$/),
  },
  "import thirty mailboxes": {
    steps: ["Mailboxes", "Import mailboxes", "Choose file", "Create 30 mailboxes"],
    done: (page) => page.getByText("It continues on the server if you leave this page"),
  },
  "change a mailbox’s storage limit": {
    steps: [
      "Mailboxes",
      /^bob@/,
      (page) => page.getByRole("tab", { name: "Settings" }),
      ["Storage limit in MB", "2048"],
      "Save changes",
    ],
    done: (page) => page.getByText("Saved", { exact: true }),
  },
  "find an email by recipient": {
    steps: ["Emails", ["Search", "dmitri"]],
    done: (page) => page.getByRole("row", { name: /dmitri/ }).first(),
  },
};

/** Follows the steps, and expects few enough clicks until the task is done. */
async function follow(page: Page, { steps, done }: Journey, fill = (text: string) => text) {
  const clicks = await countClicks(page);
  await page.reload();
  await clicks.begin();
  for (const step of steps)
    if (Array.isArray(step)) {
      const [label, text] = step;
      // Reached with Tab or a shortcut, which isn't a click.
      await page.getByLabel(label).and(page.locator("input, textarea")).first().focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(fill(text));
    } else if (typeof step === "function") await step(page).click();
    else {
      const name = { name: step, exact: true };
      await page.getByRole("link", name).or(page.getByRole("button", name)).first().click();
    }
  await expect(done(page)).toBeVisible();
  const count = await clicks.read();
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(CLICKS_FROM_OVERVIEW_MAX);
}

for (const [name, journey] of Object.entries(FROM_OVERVIEW))
  test(`${name}: at most four clicks from the overview`, async ({ page, signIn }) => {
    const me = await signIn({ isOwner: true, privileges: PRIVILEGES });
    await seedTasks(me);
    const domain = await companyDomain(me.companyId);
    const { address: gone } = await aMailbox(domain, { address: `gone@${domain.name}` });
    await deleteMailbox(aContext(me.companyId), gone);
    await db()
      .insert(emails)
      .values({
        id: crypto.randomUUID(),
        companyId: me.companyId,
        from: `hello@${me.domain}`,
        to: ["nobody@example.net"],
        subject: "Your order",
        messageId: `<${crypto.randomUUID()}@northwind.example>`,
        lastEvent: "bounced",
      });
    const fill = (text: string) => text.replaceAll("DOMAIN", domain.name);
    // cspell:ignore filechooser
    page.on("filechooser", (chooser) => {
      const buffer = Buffer.from(fill(["email,name", ...list].join("\n")));
      void chooser.setFiles({ name: "people.csv", mimeType: "text/csv", buffer });
    });
    await page.goto("/console/overview");
    await follow(page, journey, fill);
  });

test("change a limit of the server: at most four clicks from the overview", async ({
  page,
  appliance,
}) => {
  await signInWithCookie(page, appliance.url, (await anOperator()).cookie);
  await page.goto("/console/overview");
  await follow(page, {
    steps: [
      "Operate",
      "Server settings",
      ["Pending test events per webhook", "7"],
      (page) =>
        page
          .getByRole("group", { name: "Unsaved changes" })
          .getByRole("button", { name: "Save", exact: true }),
    ],
    done: (page) => page.getByText("changed “Pending test events per webhook” from 5 to 7"),
  });
  await page.getByRole("button", { name: "Reset Pending test events per webhook" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("“Pending test events per webhook” from 7 to 5")).toBeVisible();
});

test("write an automatic reply: at most four clicks from the overview", async ({
  page,
  appliance,
}) => {
  await signInWithCookie(page, appliance.url, (await aMailboxUser()).cookie);
  await page.goto(`${appliance.url}/account`);
  await follow(page, {
    steps: [
      "Automatic replies",
      (page) => page.getByRole("switch", { name: "Send automatic replies" }),
      ["Subject", "Away"],
      ["Message", "Back on Monday."],
      "Save changes",
    ],
    done: (page) => page.getByText("Saved. Replies are sent."),
  });
});
