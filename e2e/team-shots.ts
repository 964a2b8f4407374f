import type { Page } from "@playwright/test";

import { acceptInvitation } from "#server/core/access/invitations/accept-invitation.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aTeam, endInvitation, someAudit } from "#server/testing/a-team.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The team, its roles and invitations, and the audit log. */
export async function teamShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const team = await aTeam(companyId);
  const overdue = await aTeam((await aCompany({ name: "Northwind Trading" })).id);
  await endInvitation(overdue.at("nia"));
  const { id: joinedId } = await aCompany({ name: "Northwind Trading" });
  const { token: byHand } = await aTeam(joinedId);
  const by = { name: "Nia Ode", password: "correct horse battery" };
  await acceptInvitation(db(), { token: byHand, by, origin: { clientAddress: "192.0.2.1" } });
  await someAudit(companyId, 60);
  const owner = await anAdminSession(companyId, { isOwner: true });
  const without = await anAdminSession(companyId, { privileges: ["domains"] });
  const limited = await anAdminSession(companyId, { privileges: ["manage_admins", "view_users"] });
  const { id: emptyId } = await aCompany({ name: "Northwind Trading" });
  const alone = await anAdminSession(emptyId, { isOwner: true });
  const list = "/console/team";
  const invitation = "/console/invitation#";
  const audit = "/console/audit";
  return [
    { name: "team-full", path: list, as: owner },
    { name: "team-alone", path: list, as: alone },
    { name: "team-unconfirmed", path: list, as: await anAdminSession(joinedId, { isOwner: true }) },
    { name: "team-no-matches", path: `${list}?search=nobody`, as: owner },
    { name: "team-loading", path: list, as: owner, before: stallRequests },
    { name: "team-error", path: list, as: owner, before: failRequests },
    { name: "team-no-privilege", path: list, as: without },
    { name: "team-invite", path: list, as: owner, act: openInvite },
    { name: "team-invite-limited", path: list, as: limited, act: openInvite },
    { name: "team-admin", path: `${list}/${team.ben.id}`, as: owner },
    { name: "team-admin-off", path: `${list}/${team.cleo.id}`, as: owner },
    { name: "team-admin-owner-seen-by-admin", path: `${list}/${team.olga.id}`, as: limited },
    { name: "team-admin-remove", path: `${list}/${team.ben.id}`, as: owner, act: openRemoveDialog },
    { name: "team-roles-full", path: `${list}/roles`, as: owner },
    { name: "team-roles-empty", path: `${list}/roles`, as: alone },
    { name: "team-roles-new", path: `${list}/roles/new?suggestion=Help+desk`, as: limited },
    { name: "team-roles-one", path: `${list}/roles/${team.helpdesk.id}`, as: owner },
    { name: "team-roles-unit", path: `${list}/roles/${team.ofSales.id}`, as: owner },
    { name: "team-invitation", path: `${invitation}${team.token}` },
    { name: "team-invitation-other", path: `${invitation}${team.token}`, as: owner },
    { name: "team-invitation-over", path: `${invitation}${overdue.token}` },
    { name: "team-invitation-gone", path: `${invitation}x` },
    { name: "audit-full", path: audit, as: owner },
    { name: "audit-open", path: audit, as: owner, act: openFirst },
    { name: "audit-export", path: audit, as: owner, act: openExport },
    { name: "audit-filtered", path: `${audit}?area=team&actor=ann%40northwind.example`, as: owner },
    { name: "audit-no-matches", path: `${audit}?search=nothing`, as: owner },
    {
      name: "audit-empty",
      path: audit,
      as: await anAdminSession((await aCompany()).id, { isOwner: true }),
    },
    { name: "audit-loading", path: audit, as: owner, before: stallRequests },
    { name: "audit-error", path: audit, as: owner, before: failRequests },
    { name: "audit-no-privilege", path: audit, as: without },
    // Last, because resending invalidates the links of the other shots.
    { name: "team-invite-link", path: list, as: owner, act: resendInvitation },
  ];
}

let adminCount = 0;

async function anAdminSession(
  companyId: string,
  granted: { isOwner?: boolean; privileges?: string[] },
) {
  const email = `ann.lee.${(adminCount += 1)}@northwind.example`;
  const admin = await anAdmin(companyId, { name: "Ann Lee", email, ...granted });
  return { cookie: await startSession(db(), admin.id) };
}

async function openInvite(page: Page) {
  await page.getByRole("button", { name: "Invite admin" }).click();
  await page.getByRole("checkbox", { name: "Helpdesk" }).waitFor();
}

async function resendInvitation(page: Page) {
  await page
    .getByRole("button", { name: /^Resend invitation/ })
    .first()
    .click();
  await page.getByRole("button", { name: "I’ve saved it" }).waitFor();
}

async function openRemoveDialog(page: Page) {
  await page.getByRole("button", { name: "Remove admin" }).click();
  await page.getByRole("dialog").waitFor();
}

async function openExport(page: Page) {
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "Export as CSV" }).waitFor();
}

async function openFirst(page: Page) {
  await page.getByRole("list", { name: "Audit log entries" }).getByRole("button").nth(2).click();
}
