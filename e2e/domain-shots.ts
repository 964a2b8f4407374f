import type { Page } from "@playwright/test";

import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { aCheckedDomain, aMonthOfReports, anUnverifiedDomain } from "./seed-domains.ts";
import { answerDnsSetup } from "./dns-setup-answers.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The domain pages: verified, with DNS problems, unverified, and empty. */
export async function domainShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const unverified = await anUnverifiedDomain(companyId, "new.northwind.example");
  const well = await aCheckedDomain(companyId, "mail.northwind.example");
  const troubled = await aCheckedDomain(companyId, "shop.northwind.example", {
    status: "partially_verified",
    ageDays: 3,
    trackingSubdomain: "links",
    answersFor: {
      dkim: ["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"],
      dmarc: null,
      mx: null,
      tracking: ["shops.example.net"],
    },
  });
  const created = await aDomain(companyId, {
    name: "fresh.northwind.example",
    status: "not_started",
    ownershipProvenAt: null,
  });
  const part = await aCheckedDomain(companyId, "part.northwind.example", {
    status: "pending",
    answersFor: { dkim: null, mx: ["aspmx.l.google.com"] },
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
    { name: "domain-new", path: of(created), as: owner, before: stallChecks },
    { name: "domain-part", path: of(part), as: owner, act: waitForDoctor },
    { name: "domain-email-records", path: of(part), as: owner, act: openEmailDialog },
    { name: "domain-provider", path: of(unverified), as: owner, act: chooseCloudflare },
    { name: "domain-token-error", path: of(unverified), as: owner, act: enterToken("wrong") },
    { name: "domain-setup-review", path: of(unverified), as: owner, act: enterToken("right") },
    { name: "domain-setup-results", path: of(unverified), as: owner, act: publish },
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

/** As before the first check has ended. */
const stallChecks = (page: Page) => page.route("**/domains/verify?*", () => {});

async function openEmailDialog(page: Page) {
  await page.getByRole("button", { name: "Email records" }).click();
  await page.getByRole("dialog").getByLabel("Email address").fill("it@northwind.example");
}

async function chooseCloudflare(page: Page) {
  await waitForDoctor(page);
  await page.getByLabel("DNS provider").selectOption("Cloudflare");
}

const enterToken = (token: string) => async (page: Page) => {
  await answerDnsSetup(page, "new.northwind.example");
  await chooseCloudflare(page);
  await page.getByRole("button", { name: "Set up automatically" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "API token" }).fill(token);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page
    .getByText(token === "wrong" ? "Cloudflare rejected the token" : "Posthouse will make")
    .waitFor();
};

async function publish(page: Page) {
  await enterToken("right")(page);
  await page.getByRole("button", { name: "Publish 2 records" }).click();
  await page.getByText("Published 2 of 4 records").waitFor();
}

async function waitForCharts(page: Page) {
  await page.locator("[data-bar] rect").first().waitFor();
}

async function openDeleteDialog(page: Page) {
  await page.getByRole("button", { name: "Delete domain" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("another.example");
  await page.getByRole("dialog").getByRole("button", { name: "Delete domain" }).click();
}
