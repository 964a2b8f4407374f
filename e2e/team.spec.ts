import { hash } from "@node-rs/argon2";

import { acceptInvitation } from "#server/core/access/invitations/accept-invitation.ts";
import { updateRole } from "#server/core/access/roles/update-role.ts";
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
import { expectNoFaults } from "./looks.ts";

const PASSWORD = "correct horse battery";

test("an invitation from the button to the new person's console, by the email that went out", async ({
  page,
  signIn,
  browser,
  baseURL,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  await aRole(companyId, { name: "Helpdesk", privileges: ["view_users", "reset_user_passwords"] });
  const email = `nia.${companyId.slice(-6)}@northwind.example`;
  await page.goto("/console/team");
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite somebody" });
  await dialog.getByLabel("Email address").fill("nia");
  await dialog.getByRole("checkbox", { name: "Helpdesk" }).check();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await expect(dialog.getByText("Address must look like ann@example.com")).toBeVisible();
  await expect(dialog.getByRole("checkbox", { name: "Helpdesk" })).toBeChecked();
  await dialog.getByLabel("Email address").fill(email);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const shown = page.getByRole("dialog", { name: "The invitation is on its way" });
  const link = await shown.getByText("/console/invitation#").innerText();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByRole("region", { name: "Invited" }).getByText(email)).toBeVisible();

  await sendWaitingNotices(companyId);
  const text = await textOfEmailTo(email);
  const [, mailed] = /(\S+\/console\/invitation#\S+)/.exec(text)!;
  expect(mailed).not.toBe(link);

  const context = await browser.newContext({ baseURL: baseURL! });
  const door = await context.newPage();
  await door.goto(new URL(mailed!).pathname + new URL(mailed!).hash);
  await expect(door.getByRole("heading", { name: "Join Northwind Trading" })).toBeVisible();
  await expect(door.getByText("Your role: Helpdesk.")).toBeVisible();
  await expectNoFaults(door);
  await door.getByLabel("Your name").fill("Nia Ode");
  await door.getByRole("textbox", { name: "Password" }).fill("short");
  await door.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(door.getByText("Password must have at least 12 characters")).toBeVisible();
  await door.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await door.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(door).toHaveURL(/\/console\/overview/);
  await expect(door.getByRole("link", { name: "Mailboxes", exact: true })).toBeVisible();
  await expect(door.getByRole("link", { name: "Team" })).toHaveCount(0);
  await door.goto(new URL(mailed!).pathname + new URL(mailed!).hash);
  await expect(
    door.getByRole("heading", { name: "This invitation leads nowhere any more" }),
  ).toBeVisible();
  await expectNoFaults(door);
  await context.close();

  await page.reload();
  await expect(page.getByRole("link", { name: "Nia Ode" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Invited" })).toHaveCount(0);
});

test("who is signed in as somebody else is told, and a withdrawn invitation leads nowhere", async ({
  page,
  signIn,
}) => {
  const me = await signIn({ isOwner: true });
  const { token, at } = await aTeam(me.companyId);
  await page.goto(`/console/invitation#${token}`);
  await expect(page.getByText(`and you are signed in as ${me.email}`)).toBeVisible();
  await page.goto("/console/team");
  await page.getByRole("button", { name: `Send the invitation of ${at("nia")} again` }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: `Withdraw the invitation of ${at("nia")}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(page.getByText("is withdrawn")).toBeVisible();
  await page.goto(`/console/invitation#${token}`);
  await expect(page.getByRole("link", { name: "go to the console" })).toBeVisible();
});

test("who signs in first comes back to the invitation, and no request has its token in the address", async ({
  signIn,
  browser,
  baseURL,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { token, at } = await aTeam(companyId);
  const passwordHash = await hash(PASSWORD);
  await anAdmin((await aCompany()).id, { email: at("nia"), passwordHash });
  const context = await browser.newContext({ baseURL: baseURL! });
  const door = await context.newPage();
  const sent: string[] = [];
  door.on("request", (request) => {
    sent.push(request.url().split("#")[0]!, JSON.stringify(request.headers()));
  });
  await door.goto(`/console/invitation#${token}`);
  await door.getByRole("link", { name: "Sign in first" }).click();
  await expect(door).toHaveURL(`/console/sign-in?next=%2Fconsole%2Finvitation#${token}`);
  await door.getByLabel("Email address").fill(at("nia"));
  await door.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await door.getByRole("button", { name: "Sign in" }).click();
  await expect(door.getByText(`You are signed in as ${at("nia")}`)).toBeVisible();
  await door.getByRole("button", { name: "Join Northwind Trading" }).click();
  await expect(door).toHaveURL(/\/console\/overview/);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.filter((each) => each.includes(token))).toEqual([]);
  await context.close();
});

test("whose address is not confirmed is told on the team's page and on theirs", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { token } = await aTeam(companyId);
  const by = { name: "Nia Ode", password: PASSWORD };
  await acceptInvitation(db(), { token, by, origin: { clientAddress: "192.0.2.1" } });
  await page.goto("/console/team");
  await expect(page.getByText("Unconfirmed")).toHaveCount(1);
  await expectNoFaults(page);
  await page.getByRole("link", { name: "Nia Ode" }).click();
  await expect(page.getByText("Not confirmed: they joined by a link")).toBeVisible();
  await expectNoFaults(page);
});

test("a person: what they can do, access off and on, and removed with their keys", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben } = await aTeam(companyId);
  await page.goto("/console/team");
  await page.getByRole("searchbox", { name: "Search the team" }).fill("ben");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "Ben Marsh" }).click();
  const rights = page.getByRole("table", { name: "Every privilege, and what gives it" });
  await expect(rights.getByRole("row", { name: /^View users/ })).toContainText(
    "Role Sales desk, only in Sales and below",
  );
  await expect(rights.getByRole("row", { name: /^Create users/ })).toContainText("In part");
  await expect(rights.getByRole("row", { name: /^Domains/ })).toContainText("Given directly");
  await page.getByRole("button", { name: "Take away Domains" }).click();
  await expect(rights.getByRole("row", { name: /^Domains/ })).toContainText("No");
  await page.getByRole("checkbox", { name: "Auditor" }).check();
  await page.getByRole("button", { name: "Save rights" }).click();
  await expect(rights.getByRole("row", { name: /^View audit/ })).toContainText("Role Auditor");

  await page.getByRole("button", { name: "Switch off" }).click();
  await expect(page.getByRole("dialog").getByText("Shop")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
  await expect(page.getByText("Switched off", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();

  // What was said stands over the end of the page while the pointer rests on it.
  await page.reload();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 API key will be revoked")).toBeVisible();
  await dialog.getByRole("textbox").fill(ben.email);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Ben Marsh is removed, 1 API key revoked")).toBeVisible();
  await expect(page).toHaveURL(/\/console\/team$/);
});

test("roles: from a suggestion to one that is deleted with the names of who loses it", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  await page.goto("/console/team/roles");
  await page.getByRole("link", { name: "Helpdesk" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Helpdesk");
  await expect(page.getByRole("checkbox", { name: "Reset user passwords" })).toBeChecked();
  await page.getByRole("button", { name: "Create role" }).click();
  await expect(page.getByRole("link", { name: "Helpdesk" })).toBeVisible();
  const holder = await anAdmin(companyId, { name: "Ben Marsh" });
  const role = await findRole(companyId, "Helpdesk", holder);
  await page.goto(`/console/team/roles/${role.id}`);
  await page.getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByRole("dialog").getByText(/Ben Marsh/)).toBeVisible();
  await page.getByRole("dialog").getByRole("textbox").fill("helpdesk");
  await page.getByRole("dialog").getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByText("The role Helpdesk is deleted")).toBeVisible();
});

test("two admins change a role: the second is told what the first did, and loses nothing", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { helpdesk, olga } = await aTeam(companyId);
  await page.goto(`/console/team/roles/${helpdesk.id}`);
  await page.getByRole("checkbox", { name: "View groups" }).check();
  const before = { name: "Helpdesk", privileges: helpdesk.privileges, orgUnitId: null };
  const written = { ...before, privileges: [...helpdesk.privileges, "suspend_users"] };
  await updateRole(asAdmin(companyId, olga), helpdesk.id, { written, expected: before });
  await page.getByRole("button", { name: "Save role" }).click();
  await expect(page.getByText("Somebody else has just changed this role")).toBeVisible();
  await expect(page.getByText("Added: Suspend users.")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "View groups" })).toBeChecked();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await page.getByRole("button", { name: "Save role" }).click();
  await expect(page.getByText("The role Helpdesk is changed")).toBeVisible();
  const after = await findRole(companyId, "Helpdesk");
  expect(after.privileges).toEqual(["view_users", "reset_user_passwords", "view_groups"]);
});

test("an admin who is demoted while the page is open is told, and what is gone is hidden", async ({
  page,
  signIn,
}) => {
  const { companyId, email } = await signIn({ privileges: ["manage_admins", "view_users"] });
  await aTeam(companyId);
  await page.goto("/console/team");
  await expect(page.getByRole("button", { name: "Invite" })).toBeVisible();
  await hold(companyId, email, ["view_users"]);
  await expect(page.getByRole("heading", { name: "You may not see the team" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Invite" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Team", exact: true })).toHaveCount(0);
});

test("what one may not give is shown with the reason", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["manage_admins", "view_users"] });
  const { dan } = await aTeam(companyId);
  await page.goto(`/console/team/${dan.id}`);
  await expect(page.getByRole("checkbox", { name: "Helpdesk" })).toBeDisabled();
  await expect(
    page.getByText("You cannot give it: you do not hold Reset user passwords yourself."),
  ).toBeVisible();
});

test("everybody can use the team's pages", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben, helpdesk } = await aTeam(companyId);
  for (const [path, what] of [
    [`/console/team/${ben.id}`, "What can this person do?"],
    [`/console/team/roles/${helpdesk.id}`, "Who holds it"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("main").getByText(what).first()).toBeVisible();
    await expect(page.getByRole("status", { name: /^Loading/ })).toHaveCount(0);
    await expectNoFaults(page);
  }
  await page.goto("/console/team");
  await page.getByRole("button", { name: "Invite" }).click();
  await expect(page.getByRole("checkbox", { name: "Helpdesk" })).toBeVisible();
  await expectNoFaults(page);
});
