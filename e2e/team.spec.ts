import { hash } from "@node-rs/argon2";
import type { Page } from "@playwright/test";

import { acceptInvitation } from "#server/core/access/invitations/accept-invitation.ts";
import { updateAdmin } from "#server/core/access/admins/admins.ts";
import { updateRole } from "#server/core/access/roles/roles.ts";
import {
  aTeam,
  findRole,
  hold,
  sendWaitingNotices,
  textOfEmailTo,
} from "#server/testing/a-team.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { aRole, asAdmin } from "#server/testing/team.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";

const PASSWORD = "correct horse battery";

test("an invited admin joins through the emailed link", async ({
  page,
  signIn,
  browser,
  baseURL,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  await aRole(companyId, { name: "Helpdesk", privileges: ["view_users", "reset_user_passwords"] });
  const email = `nia.${companyId.slice(-6)}@northwind.example`;
  await page.goto("/console/team");
  await page.getByRole("button", { name: "Invite admin" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite admin" });
  await dialog.getByLabel("Email address").fill("nia");
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await expect(dialog.getByText("Roles: choose at least one.")).toBeVisible();
  await dialog.getByRole("checkbox", { name: "Helpdesk" }).check();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await expect(
    dialog.getByText("Email address must be a valid address such as ann@example.com"),
  ).toBeVisible();
  await expect(dialog.getByRole("checkbox", { name: "Helpdesk" })).toBeChecked();
  await dialog.getByLabel("Email address").fill(email);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const linkDialog = page.getByRole("dialog", { name: "Invitation sent" });
  const link = await linkDialog.getByText("/console/invitation#").innerText();
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  const pending = page.getByRole("region", { name: "Pending invitations" });
  await expect(pending.getByText(email)).toBeVisible();
  await expect(pending.getByText("expires in 6 days")).toBeVisible();
  await pending.getByRole("button", { name: `Edit invitation to ${email}` }).click();
  const editing = page.getByRole("dialog", { name: `Invitation to ${email}` });
  await editing.getByRole("checkbox", { name: "Helpdesk" }).uncheck();
  await editing.getByRole("button", { name: "Save invitation" }).click();
  await expect(editing.getByText("Roles: choose at least one.")).toBeVisible();
  await editing.getByRole("checkbox", { name: "Read only" }).check();
  await expectNoPageFaults(page);
  await editing.getByRole("button", { name: "Save invitation" }).click();
  await expect(pending.getByText(`Read only · invited by`)).toBeVisible();
  const created = await findRole(companyId, "Read only");
  expect(created.privileges).toContain("view_audit");

  await sendWaitingNotices(companyId);
  const text = await textOfEmailTo(email);
  const [, mailed] = /(\S+\/console\/invitation#\S+)/.exec(text)!;
  expect(mailed).not.toBe(link);

  const context = await browser.newContext({ baseURL: baseURL! });
  const visitor = await context.newPage();
  await visitor.goto(new URL(mailed!).pathname + new URL(mailed!).hash);
  await expect(visitor.getByRole("heading", { name: "Join Northwind Trading" })).toBeVisible();
  await expect(visitor.getByText("Your role: Read only.")).toBeVisible();
  await expectNoPageFaults(visitor);
  await visitor.getByLabel("Your name").fill("Nia Ode");
  await visitor.getByRole("textbox", { name: "Password" }).fill("short");
  await visitor.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(visitor.getByText("Password must have at least 12 characters")).toBeVisible();
  await visitor.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await visitor.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(visitor).toHaveURL(/\/console\/overview/);
  await expect(visitor.getByRole("link", { name: "Audit log" })).toBeVisible();
  await expect(visitor.getByRole("link", { name: "Team" })).toHaveCount(0);
  await visitor.goto(new URL(mailed!).pathname + new URL(mailed!).hash);
  await expect(
    visitor.getByRole("heading", { name: "This invitation is no longer valid" }),
  ).toBeVisible();
  await expectNoPageFaults(visitor);
  await context.close();

  await page.reload();
  await expect(page.getByRole("link", { name: "Nia Ode" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Pending invitations" })).toHaveCount(0);
});

test("an invitation warns an admin signed in with another address, and stops working when withdrawn", async ({
  page,
  signIn,
}) => {
  const me = await signIn({ isOwner: true });
  const { token, at } = await aTeam(me.companyId);
  await page.goto(`/console/invitation#${token}`);
  await expect(page.getByText(`but you’re signed in as ${me.email}`)).toBeVisible();

  const list = "**/console/api/invitations/list";
  const json = { statusCode: 429, name: "rate_limit_exceeded", message: "Too many requests" };
  await page.route(list, (route) => route.fulfill({ status: 429, json }));
  await page.goto("/console/team");
  const pending = page.getByRole("region", { name: "Pending invitations" });
  await expect(pending.getByText("Couldn’t load the invitations")).toBeVisible();
  await page.unroute(list);
  await pending.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: `Resend invitation to ${at("nia")}` }).click();
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await page.getByRole("button", { name: `Withdraw invitation to ${at("nia")}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw invitation" }).click();
  await expect(page.getByText(`Invitation to ${at("nia")} withdrawn`)).toBeVisible();
  await page.goto(`/console/invitation#${token}`);
  await expect(page.getByRole("link", { name: "go to the console" })).toBeVisible();
});

test("signing in leads back to the invitation, and no request URL contains its token", async ({
  signIn,
  browser,
  baseURL,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { token, at } = await aTeam(companyId);
  const passwordHash = await hash(PASSWORD);
  await anAdmin((await aCompany()).id, { email: at("nia"), passwordHash });
  const context = await browser.newContext({ baseURL: baseURL! });
  const visitor = await context.newPage();
  const sent: string[] = [];
  visitor.on("request", (request) => {
    sent.push(request.url().split("#")[0]!, JSON.stringify(request.headers()));
  });
  await visitor.goto(`/console/invitation#${token}`);
  await visitor.getByRole("link", { name: "Sign in first" }).click();
  await expect(visitor).toHaveURL(`/console/sign-in?next=%2Fconsole%2Finvitation#${token}`);
  await visitor.getByLabel("Email address").fill(at("nia"));
  await visitor.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await visitor.getByRole("button", { name: "Sign in" }).click();
  await expect(visitor.getByText(`You’re signed in as ${at("nia")}`)).toBeVisible();
  await visitor.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(visitor).toHaveURL(/\/console\/overview/);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.filter((text) => text.includes(token))).toEqual([]);
  await context.close();
});

test("an unconfirmed address is marked in the list and on the admin's page", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { token } = await aTeam(companyId);
  const by = { name: "Nia Ode", password: PASSWORD };
  await acceptInvitation(db(), { token, by, origin: { clientAddress: "192.0.2.1" } });
  await page.goto("/console/team");
  await expect(page.getByText("Unconfirmed")).toHaveCount(1);
  await expectNoPageFaults(page);
  await page.getByRole("link", { name: "Nia Ode" }).click();
  await expect(page.getByText("Unconfirmed: they joined with a copied link")).toBeVisible();
  await expectNoPageFaults(page);
});

test("an admin's privileges are shown, access is turned off and on, and removal revokes keys", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben } = await aTeam(companyId);
  await page.goto("/console/team");
  await page.getByRole("searchbox", { name: "Search the team" }).fill("ben");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "Ben Marsh" }).click();
  const privileges = page.getByRole("table", { name: "All privileges and their sources" });
  await expect(privileges.getByRole("row", { name: /^View mailboxes/ })).toContainText(
    "Role Sales desk, only in Sales and its subunits",
  );
  await expect(privileges.getByRole("row", { name: /^Create mailboxes/ })).toContainText(
    "In some units",
  );
  await expect(privileges.getByRole("row", { name: /^Domains/ })).toContainText(
    "Assigned directly",
  );
  await page.getByRole("button", { name: "Remove Domains" }).click();
  await expect(privileges.getByRole("row", { name: /^Domains/ })).toContainText("No");
  await page.getByRole("checkbox", { name: "Auditor" }).click();
  await expect(page.getByRole("checkbox", { name: "Auditor" })).toBeChecked();
  await page.getByRole("button", { name: "Save roles" }).click();
  await expect(privileges.getByRole("row", { name: /^View audit/ })).toContainText("Role Auditor");

  await page.getByRole("button", { name: "Turn off access" }).click();
  await expect(page.getByRole("dialog").getByText("Shop")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off access" }).click();
  await expect(page.getByText("Access off", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();

  // The toast covers the end of the page while the pointer is over it.
  await page.reload();
  await page.getByRole("button", { name: "Remove admin" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 API key will be revoked")).toBeVisible();
  await dialog.getByRole("textbox").fill(ben.email);
  await dialog.getByRole("button", { name: "Remove admin" }).click();
  await expect(page.getByText("Ben Marsh removed, 1 API key revoked")).toBeVisible();
  await expect(page).toHaveURL(/\/console\/team$/);
});

test("a suggested role is created, and deleting it names the admins who lose it", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  await page.goto("/console/team/roles");
  await page.getByRole("link", { name: "Help desk" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Help desk");
  await expect(page.getByRole("checkbox", { name: "Reset mailbox passwords" })).toBeChecked();
  await page.getByRole("button", { name: "Create role" }).click();
  await expect(page.getByRole("link", { name: "Help desk" })).toBeVisible();
  const holder = await anAdmin(companyId, { name: "Ben Marsh" });
  const role = await findRole(companyId, "Help desk", holder);
  await page.goto(`/console/team/roles/${role.id}`);
  await page.getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByRole("dialog").getByText(/Ben Marsh/)).toBeVisible();
  await page.getByRole("dialog").getByRole("textbox").fill("help desk");
  await page.getByRole("dialog").getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByText("Role Help desk deleted")).toBeVisible();
});

test("a suggested role starts with the privileges that the admin can assign", async ({
  page,
  signIn,
}) => {
  await signIn({ privileges: ["manage_admins", "view_users"] });
  await page.goto("/console/team/roles/new?suggestion=Help+desk");
  await expect(page.getByRole("checkbox", { name: "View mailboxes" })).toBeChecked();
  const reset = page.getByRole("checkbox", { name: "Reset mailbox passwords" });
  await expect(reset).toBeDisabled();
  await expect(reset).not.toBeChecked();
});

/** Does something before the next request of this kind arrives: the page, which refetches regularly, can't know of it. */
const beforeRequest = (page: Page, path: string, work: () => Promise<unknown>) =>
  page.route(
    `**/console/api/${path}?**`,
    async (route) => {
      await work();
      await route.continue();
    },
    { times: 1 },
  );

test("a concurrent change to a role is shown, and no edits are lost", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { helpdesk, olga } = await aTeam(companyId);
  await page.goto(`/console/team/roles/${helpdesk.id}`);
  await page.getByRole("checkbox", { name: "View groups" }).check();
  const before = { name: "Helpdesk", privileges: helpdesk.privileges, orgUnitId: null };
  const written = { ...before, privileges: [...helpdesk.privileges, "suspend_users"] };
  await beforeRequest(page, "roles/update", () =>
    updateRole(asAdmin(companyId, olga), helpdesk.id, { written, expected: before }),
  );
  await page.getByRole("button", { name: "Save role" }).click();
  await expect(page.getByText("Another admin just changed this role")).toBeVisible();
  await expect(page.getByText("Added: Suspend mailboxes.")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "View groups" })).toBeChecked();
  await page.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByRole("button", { name: "Save role" }).click();
  await expect(page.getByText("Role Helpdesk saved")).toBeVisible();
  const after = await findRole(companyId, "Helpdesk");
  expect(after.privileges).toEqual(["view_users", "reset_user_passwords", "view_groups"]);
});

test("a concurrent change to an admin is shown, and unsaved changes of roles are kept", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben, helpdesk, olga } = await aTeam(companyId);
  await page.goto(`/console/team/${ben.id}`);
  await page.getByRole("checkbox", { name: "Auditor" }).check();
  await beforeRequest(page, "team/update", () =>
    updateAdmin(asAdmin(companyId, olga), ben.id, { isOwner: true, roleIds: [helpdesk.id] }),
  );
  await page.getByRole("button", { name: "Save roles" }).click();
  await expect(page.getByText("Someone else has just changed the roles")).toBeVisible();
  const owner = page.getByRole("checkbox", { name: "Owner" });
  const auditor = page.getByRole("checkbox", { name: "Auditor" });
  await expect(page.getByRole("checkbox", { name: "Sales desk" })).not.toBeChecked();
  await expect(owner).toBeChecked();
  await expect(auditor).toBeChecked();
  await page.getByRole("button", { name: "Save roles" }).click();
  await expect(page.getByRole("button", { name: "Save roles" })).toHaveCount(0);
  await expect(auditor).toBeChecked();

  await updateAdmin(asAdmin(companyId, olga), ben.id, { isOwner: false });
  await auditor.uncheck();
  await page.getByRole("button", { name: "Save roles" }).click();
  await expect(owner).not.toBeChecked();
  await expect(page.getByRole("button", { name: "Save roles" })).toHaveCount(0);
});

test("losing a privilege while the page is open hides what it allowed", async ({
  page,
  signIn,
}) => {
  const { companyId, email } = await signIn({ privileges: ["manage_admins", "view_users"] });
  await aTeam(companyId);
  await page.goto("/console/team");
  await expect(page.getByRole("button", { name: "Invite admin" })).toBeVisible();
  await hold(companyId, email, ["view_users"]);
  await expect(
    page.getByRole("heading", { name: "You don’t have access to the admins" }),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Invite admin" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Team", exact: true })).toHaveCount(0);
});

test("roles that can't be assigned are shown with the reason", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["manage_admins", "view_users"] });
  const { dan } = await aTeam(companyId);
  await page.goto(`/console/team/${dan.id}`);
  await expect(page.getByRole("checkbox", { name: "Helpdesk" })).toBeDisabled();
  await expect(
    page
      .getByText("You can’t assign this role because you don’t have Reset mailbox passwords.")
      .first(),
  ).toBeVisible();
});

test("the team's pages pass the accessibility checks", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben, helpdesk } = await aTeam(companyId);
  for (const [path, what] of [
    [`/console/team/${ben.id}`, "Privileges"],
    [`/console/team/roles/${helpdesk.id}`, "Assigned to"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("main").getByText(what).first()).toBeVisible();
    await expect(page.getByRole("status", { name: /^Loading/ })).toHaveCount(0);
    await expectNoPageFaults(page);
  }
  await page.goto("/console/team");
  await page.getByRole("button", { name: "Invite admin" }).click();
  await expect(page.getByRole("checkbox", { name: "Helpdesk" })).toBeVisible();
  await expectNoPageFaults(page);
});
