import type { Page } from "@playwright/test";

import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { aCheckedDomain, aMonthOfReports, anUnverifiedDomain } from "./seed-domains.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The domain pages: verified, with DNS problems, unverified, and empty. */
export async function domainShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const unverified = await anUnverifiedDomain(companyId, "new.northwind.example");
  const well = await aCheckedDomain(companyId, "mail.northwind.example");
  const troubled = await aCheckedDomain(companyId, "shop.northwind.example", {
    ...{ status: "partially_verified", ageDays: 3, trackingSubdomain: "links" },
    answersFor: {
      dkim: ["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"],
      dmarc: null,
      mx: null,
      tracking: ["shops.example.net"],
    },
  });
  await aMonthOfReports(well);
  await anApiKey(companyId, { permission: "sending_access", domainId: well.id });

  const owner = await anAdminSession(companyId, [], "ann.lee@northwind.example");
  const reader = await anAdminSession(companyId, ["api_controls"]);
  const without = await anAdminSession(companyId, ["domains"]);
  const empty = await anAdminSession(
    (await aCompany({ name: "Northwind Trading" })).id,
    [],
    "ann@northwind.example",
  );
  const list = "/console/domains";
  const of = ({ id }: { id: string }) => `${list}/${id}`;
  return [
    { name: "domains-full", path: list, as: owner },
    { name: "domains-empty", path: list, as: empty },
    { name: "domains-create-error", path: list, as: owner, act: createMailProvider },
    { name: "domains-loading", path: list, as: owner, before: stallRequests },
    { name: "domains-error", path: list, as: owner, before: failRequests },
    { name: "domains-no-privilege", path: list, as: without },
    { name: "domain-unverified", path: of(unverified), as: owner, act: waitForDoctor },
    { name: "domain-troubled", path: of(troubled), as: owner, act: waitForDoctor },
    { name: "domain-well", path: of(well), as: owner, act: waitForDoctor },
    { name: "domain-reader", path: of(well), as: reader, act: waitForDoctor },
    { name: "domain-loading", path: of(well), as: owner, before: stallRequests },
    { name: "domain-error", path: of(well), as: owner, before: failRequests },
    { name: "domain-reports", path: `${of(well)}?tab=reports`, as: owner, act: waitForCharts },
    { name: "domain-no-reports", path: `${of(troubled)}?tab=reports`, as: owner },
    { name: "domain-settings", path: `${of(well)}?tab=settings`, as: owner },
    { name: "domain-delete", path: `${of(well)}?tab=settings`, as: owner, act: openDeleteDialog },
    { name: "domain-hand-over", path: `${of(well)}/hand-over`, as: owner },
  ];
}

/** @param email of an owner */
async function anAdminSession(companyId: string, privileges: Privilege[], email?: string) {
  const owner = email && { email, isOwner: true };
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee", ...owner });
  return { cookie: await startSession(db(), admin.id) };
}

async function createMailProvider(page: Page) {
  await page.getByRole("button", { name: "Create domain" }).click();
  await page.getByLabel("Domain name").fill("gmail.com");
  await page.getByRole("dialog").getByRole("button", { name: "Create domain" }).click();
  await page.getByRole("dialog").getByText("gmail.com", { exact: false }).first().waitFor();
}

/** The diagnosis loads after the page. */
async function waitForDoctor(page: Page) {
  await page.getByText("Checking…").first().waitFor({ state: "hidden" });
  await page.waitForLoadState("networkidle");
}

async function waitForCharts(page: Page) {
  await page.locator("[data-bar] rect").first().waitFor();
}

async function openDeleteDialog(page: Page) {
  await page.getByRole("button", { name: "Delete domain" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("another.example");
  await page.getByRole("dialog").getByRole("button", { name: "Delete domain" }).click();
}
