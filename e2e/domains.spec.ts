import { getDomain } from "#server/core/domains/domains/domains.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { aCheckedDomain, aMonthOfReports } from "./seed-domains.ts";

/** A unique name, because tests share the DNS server. */
const aName = () => `d${Math.random().toString(36).slice(2)}.northwind-mail.com`;

test("creates a domain and verifies it record by record", async ({ page, signIn, appliance }) => {
  const { companyId } = await signIn({ privileges: ["api_controls", "domains"] });
  await page.clock.install();
  await page.goto("/console/domains");
  await page.getByRole("button", { name: "Create domain" }).click();

  // An invalid name stays in the field, with the error next to it.
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Domain name").fill("gmail.com");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText(/gmail\.com is a public mailbox provider/)).toBeVisible();
  await expect(dialog.getByLabel("Domain name")).toHaveValue("gmail.com");
  const name = aName();
  await dialog.getByLabel("Domain name").fill(`https://${name}/`);
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  // All records are shown at once, after a first check without a click.
  const setup = page.getByRole("region", { name: "Setup" });
  await expect(setup.getByText("The ownership record wasn’t found yet.")).toBeVisible();
  await expect(setup.getByText(/^Next check in \d+ s$/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Copy value of DKIM", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Copy value of Ownership" }).click();
  const proof = await page.evaluate(() => navigator.clipboard.readText());
  expect(proof).toMatch(/^svc-verify=/);

  const { dns } = appliance;
  const id = new URL(page.url()).pathname.split("/").pop()!;
  const { records } = await getDomain(aContext(companyId), id);
  for (const { record, name: host, value } of records)
    if (record === "spf" || record === "dkim") dns.records[host] = { TXT: [value] };
  dns.records[`_svc-verify.${name}`] = { TXT: ["svc-verify=other"] };
  await page.getByRole("button", { name: "Check records" }).click();
  await expect(setup.getByText("Incorrect")).toBeVisible();
  await expect(setup.getByText(/Only ownership is missing/)).toBeVisible();

  dns.records[`_svc-verify.${name}`] = { TXT: [proof] };
  await page.getByRole("button", { name: "Check records" }).click();
  await expect(setup.getByText("The domain can send.", { exact: false })).toBeVisible();
  await expect(page.getByText("All records required for sending are verified.")).toBeVisible();

  // The last step is checked without a click.
  const mx = records.find(({ record }) => record === "mx")!;
  dns.records[name] = { ...(dns.records[name] as object), MX: [`10 ${mx.value}`] };
  await page.clock.runFor(45_000);
  await expect(setup).toBeHidden();
});

test("the DNS doctor compares expected and found values and explains the fix", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["api_controls", "domains"] });
  const { id } = await aCheckedDomain(companyId, aName(), {
    status: "partially_verified",
    answersFor: { spf: ["v=spf1 include:_spf.google.com ~all"] },
  });
  await page.goto(`/console/domains/${id}`);
  const spf = page.getByRole("group").filter({ hasText: "SPF" }).first();
  await expect(spf.getByText("Expected", { exact: true })).toBeVisible();
  await expect(spf.locator("ins").first()).toContainText("a:");
  await expect(spf.getByRole("listitem").first()).toBeVisible();
  await spf.getByText(/Answers from 3 servers/).click();
  await expect(spf.getByText("198.51.100.53")).toBeVisible();
});

test("records can be downloaded as a zone file and printed", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["api_controls", "domains"] });
  const name = aName();
  const { id } = await aCheckedDomain(companyId, name);
  await page.goto(`/console/domains/${id}`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download zone file" }).click();
  expect((await download).suggestedFilename()).toBe(`${name}.zone`);

  await page.getByRole("button", { name: "Email records" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email address").fill("it-person");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Email address must be a valid address")).toBeVisible();
  await dialog.getByLabel("Email address").fill("it@contractor.example");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Emailed the records to it@contractor.example")).toBeVisible();
  await expect(dialog).toBeHidden();

  await page.getByRole("link", { name: "Print instructions" }).click();
  await expect(page.getByRole("heading", { name: `DNS records for ${name}` })).toBeVisible();
  await expect(page.getByText(`_dmarc.${name}`)).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("button", { name: "Print instructions" })).toBeHidden();
});

test("a tracking switch updates optimistically and reverts on an error", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["api_controls", "domains"] });
  const { id } = await aCheckedDomain(companyId, aName());
  await page.goto(`/console/domains/${id}?tab=settings`);
  const opens = page.getByRole("switch", { name: "Open tracking" });
  await opens.click({ force: true });
  await expect(opens).toBeChecked();
  await expect
    .poll(() => db().query.domains.findFirst({ where: (domain, { eq }) => eq(domain.id, id) }))
    .toMatchObject({ openTracking: true, clickTracking: false });

  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/console/api/domains/update?*", async (route) => {
    await isAnswered;
    return route.fulfill({ status: 403, json: { name: "invalid_permission", message: "No" } });
  });
  const clicks = page.getByRole("switch", { name: "Click tracking" });
  await clicks.click({ force: true });
  await expect(clicks).toBeChecked();
  answer();
  await expect(clicks).not.toBeChecked();
  await expect(page.getByRole("alert").filter({ hasText: "No." })).toBeVisible();
});

test("an owner deletes a domain after typing its name", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const name = aName();
  const { id } = await aCheckedDomain(companyId, name);
  await page.goto(`/console/domains/${id}?tab=settings`);
  await page.getByRole("button", { name: "Delete domain" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete domain" }).click();
  await expect(dialog.getByText(`Doesn’t match ${name}`)).toBeVisible();
  await dialog.getByRole("textbox").fill(name);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/domains$/);
  await expect(page.getByRole("link", { name })).toBeHidden();
  const left = await db().query.domains.findFirst({ where: (domain, { eq }) => eq(domain.id, id) });
  expect(left).toBeUndefined();
});

test("read-only admins see no buttons to change a domain", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["api_controls"] });
  const { id } = await aCheckedDomain(companyId, aName());
  await page.goto("/console/domains");
  await expect(page.getByRole("row")).toHaveCount(3);
  await expect(page.getByRole("button", { name: "Create domain" })).toBeHidden();
  await page.goto(`/console/domains/${id}?tab=settings`);
  await expect(page.getByText("Open tracking: off")).toBeVisible();
  for (const name of ["Check records", "Delete domain"])
    await expect(page.getByRole("button", { name })).toBeHidden();
});

test("reports list sending sources, keep the period in the URL, and offer a table", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const domain = await aCheckedDomain(companyId, aName());
  await aMonthOfReports(domain);
  await page.goto(`/console/domains/${domain.id}?tab=reports`);
  await expect(page.getByRole("table", { name: "Sending sources" })).toBeVisible();
  await expect(page.getByRole("row", { name: /198\.51\.100\.10.*Authenticated/ })).toBeVisible();
  await expect(page.locator("[data-bar] rect").first()).toBeVisible();

  await page.getByRole("link", { name: "7 days" }).click();
  await expect(page).toHaveURL(/\?tab=reports&days=7$/);
  await page.getByText("Show as table").first().click();
  const days = page.getByRole("region", { name: "Messages per day" });
  await expect(days.getByRole("row")).toHaveCount(8);
});

test("without reports, the page explains how to get them", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  const { id } = await aCheckedDomain(companyId, aName(), { answersFor: { dmarc: null } });
  await page.goto(`/console/domains/${id}?tab=reports&days=90`);
  const dmarc = page.getByRole("region", { name: "Mail from your domain (DMARC)" });
  await expect(dmarc.getByText("No reports received in the last 90 days.")).toBeVisible();
  await expect(dmarc.getByText(/rua=mailto:reports@/)).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 380, height: 800 } });

  test("no page of a domain is wider than the screen", async ({ page, signIn }) => {
    const { companyId } = await signIn({ isOwner: true });
    const domain = await aCheckedDomain(companyId, aName(), {
      status: "pending",
      answersFor: { spf: ["v=spf1 -all"], dkim: null },
    });
    await aMonthOfReports(domain);
    for (const end of ["", "?tab=reports", "?tab=settings", "/hand-over"]) {
      await page.goto(`/console/domains/${domain.id}${end}`);
      await expect(page.getByText(domain.name).first()).toBeVisible();
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    }
  });
});
