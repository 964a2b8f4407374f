import type { Locator, Page } from "@playwright/test";

import type { Privilege } from "#server/universal/privileges.ts";
import { aDomain, aGroup, aMailbox, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { quarantinedMessages } from "./seed-quarantine.ts";
import { seedEmails } from "./seed.ts";
import { anEvent, UNAVAILABLE_ATTEMPT } from "./seed-webhooks.ts";

/** How a person works: with a pointer or with the keyboard alone. */
export type Person = {
  /** Activates a link, a button, a menu item or a checkbox. */
  press(target: Locator): Promise<void>;
  /** Goes to a field, unless it has the focus, and types. */
  type(field: Locator, text: string): Promise<void>;
  /** Leaves a field. */
  tab(): Promise<void>;
};

type Task = {
  list: string;
  /** Shown once the list is hydrated. */
  ready: (page: Page) => Locator;
  act: (page: Page, person: Person) => Promise<void>;
  /** Shown once the task is done. */
  done: (page: Page) => Locator;
};

export const PRIVILEGES: Privilege[] = [
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
const field = (page: Page, name: string) =>
  page
    .getByRole("textbox", { name, exact: true })
    .or(page.getByRole("combobox", { name, exact: true }));

async function fromRowMenu(
  page: Page,
  person: Person,
  { address, action }: { address: RegExp; action: string },
) {
  await person.press(row(page, address).getByRole("button", { name: /^Actions for/ }));
  await person.press(page.getByRole("menuitem", { name: action }));
}

/** The twelve commonest tasks. */
export const TASKS: Record<string, Task> = {
  "create a mailbox": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page, person) {
      await person.press(link(page, "Create mailbox"));
      await person.type(field(page, "Name"), "Zoe Lee");
      await person.tab();
      await person.type(field(page, "Address"), "zoe.lee");
      await person.press(button(page, "Create mailbox"));
    },
    done: (page) => page.getByRole("dialog").locator("code").first(),
  },
  "reset a password": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page, person) {
      await fromRowMenu(page, person, { address: /amy@/, action: "Reset password" });
      await person.press(inDialog(page, "Reset 1 password"));
    },
    done: (page) => page.getByText("Reset: 1 mailbox."),
  },
  "suspend a mailbox": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /amy@/),
    async act(page, person) {
      await fromRowMenu(page, person, { address: /amy@/, action: "Suspend mailbox" });
      await person.press(inDialog(page, "Suspend 1 mailbox"));
    },
    done: (page) => page.getByText("Suspended: 1 mailbox."),
  },
  "create an alias": {
    list: "/console/mailboxes",
    ready: (page) => row(page, /bob@/),
    async act(page, person) {
      await person.press(link(page, /^bob@/));
      await person.type(field(page, "New alias"), "sales");
      await person.press(button(page, "Add alias"));
    },
    done: (page) => page.getByRole("button", { name: /^Remove sales@/ }),
  },
  "create a group": {
    list: "/console/groups",
    ready: (page) => row(page, /all@/),
    async act(page, person) {
      await person.press(link(page, "Create group"));
      await person.type(field(page, "Address"), "support");
      await person.tab();
      await person.press(button(page, "Create group"));
    },
    done: (page) => page.getByRole("heading", { level: 1, name: /^support@/ }),
  },
  "add a member": {
    list: "/console/groups",
    ready: (page) => row(page, /all@/),
    async act(page, person) {
      await person.press(link(page, /^all@/));
      await person.type(field(page, "Add members"), "carla@agency.example");
      await person.press(button(page, "Add members"));
    },
    done: (page) => page.getByRole("button", { name: "Remove carla@agency.example" }),
  },
  "create an API key": {
    list: "/console/api-keys",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page, person) {
      await person.press(link(page, "Create API key"));
      await person.type(field(page, "Name"), "Shop");
      await person.press(button(page, "Create API key"));
    },
    done: (page) => page.getByRole("dialog", { name: "Your API key" }),
  },
  "verify a domain": {
    list: "/console/domains",
    ready: (page) => row(page, /^pending-/),
    async act(page, person) {
      await person.press(link(page, /^pending-/));
      await person.press(button(page, "Check records"));
    },
    done: (page) => page.getByText(/checked (just now|\d+ seconds ago)/i).first(),
  },
  "replay a webhook event": {
    list: "/console/webhooks",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page, person) {
      await person.press(link(page, /hooks\.northwind/));
      await person.press(page.getByRole("button", { name: /^Replay msg_/ }));
    },
    done: (page) => page.getByText(/Pending|Queued|Waiting|2 attempts/).first(),
  },
  "find an email by recipient": {
    list: "/console/emails",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page, person) {
      await person.type(page.getByRole("searchbox"), "dmitri");
    },
    done: (page) => page.getByText(/dmitri/).first(),
  },
  "release a quarantined message": {
    list: "/console/quarantine",
    ready: (page) => row(page, /claim your prize/i).first(),
    async act(page, person) {
      await person.press(
        row(page, /claim your prize/i)
          .first()
          .getByRole("checkbox"),
      );
      await person.press(button(page, "Release"));
      await person.press(inDialog(page, "Release 1 message"));
    },
    done: (page) => page.getByText(/1 message released/i),
  },
  "invite an admin": {
    list: "/console/team",
    ready: (page) => page.getByRole("row").nth(1),
    async act(page, person) {
      await person.press(button(page, "Invite admin"));
      await person.type(field(page, "Email address"), "nia@northwind.example");
      await person.press(page.getByRole("checkbox").first());
      await person.press(inDialog(page, "Send invitation"));
    },
    done: (page) => page.getByRole("dialog", { name: "Invitation sent" }),
  },
};

/** What the tasks work on, in a company of a signed-in admin with `PRIVILEGES`. */
export async function seedTasks(me: { companyId: string; domain: string }) {
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
}
