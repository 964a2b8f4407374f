import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";
import { templatesInEveryState } from "./seed-templates.ts";

/** Screenshots of the template pages in all states, and of an email that uses a template. */
export async function templateShots(): Promise<Shot[]> {
  const full = await anAdminSession();
  const { shipped } = await templatesInEveryState(full);
  const empty = await anAdminSession();
  const list = "/console/templates";
  const one = `${list}/${shipped.id}`;
  const compose = "/console/emails/new";
  return [
    { name: "templates-full", path: list, as: full },
    { name: "templates-empty", path: list, as: empty },
    { name: "templates-loading", path: list, as: full, before: stallRequests },
    { name: "templates-error", path: list, as: full, before: failRequests },
    { name: "templates-menu", path: list, as: full, act: openMenu },
    { name: "templates-new", path: `${list}/new`, as: full },
    { name: "templates-new-errors", path: `${list}/new`, as: full, act: submitInvalid },
    { name: "template-content", path: one, as: full, act: waitForPreview },
    { name: "template-versions", path: `${one}?tab=versions`, as: full, act: waitForPreview },
    { name: "template-restore", path: `${one}?tab=versions`, as: full, act: openRestoreDialog },
    { name: "template-test", path: one, as: full, act: openTestDialog },
    { name: "template-delete", path: one, as: full, act: openDeleteDialog },
    { name: "template-unknown", path: one, as: empty },
    {
      name: "template-email",
      path: `${compose}?template=${shipped.id}`,
      as: full,
      act: enterVariables,
    },
    { name: "template-email-files", path: compose, as: full, act: attachFiles },
    { name: "template-email-errors", path: compose, as: full, act: sendInvalid },
  ];
}

async function anAdminSession() {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const tail = companyId.slice(-4);
  const domain = `mail-${tail}.northwind.example`;
  await aDomain(companyId, { name: domain });
  const email = `ann.lee+${tail}@northwind.example`;
  const admin = await anAdmin(companyId, { privileges: ["api_controls"], name: "Ann Lee", email });
  return { cookie: await startSession(db(), admin.id), companyId, domain };
}

async function openTestDialog(page: Page) {
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("dialog", { name: "Send test" }).waitFor();
}

const waitForPreview = (page: Page) => page.frameLocator("iframe").getByRole("heading").waitFor();

const openMenu = (page: Page) =>
  page.getByRole("button", { name: "Actions for Order shipped" }).click();

async function submitInvalid(page: Page) {
  await page.getByLabel("Name", { exact: true }).fill("Welcome");
  await page.getByLabel("Alias").fill("a b");
  await page.getByLabel("Sender").fill("ann");
  await page.getByLabel("HTML").fill("<p>Hi {{{FIRST_NAME}}}</p>");
  await page.getByRole("button", { name: "Create template" }).click();
  await page.getByText("Sender must be").waitFor();
}

async function openRestoreDialog(page: Page) {
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("dialog").waitFor();
}

async function openDeleteDialog(page: Page) {
  await page.getByRole("button", { name: "Delete template" }).click();
  await page.getByRole("dialog").waitFor();
}

async function enterVariables(page: Page) {
  await page.getByLabel("ORDER").fill("1042");
  await page.getByLabel("CUSTOMER").fill("Ann");
  await waitForPreview(page);
}

async function attachFiles(page: Page) {
  for (const name of ["Cc", "Bcc", "Reply-To"])
    await page.getByRole("button", { name: `Add ${name}` }).click();
  await page.getByLabel("Cc", { exact: true }).fill("ben@example.net");
  await page.setInputFiles("input[type=file]", [
    { name: "invoice-1042.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(340_000) },
    { name: "terms.txt", mimeType: "text/plain", buffer: Buffer.alloc(2_300) },
  ]);
}

async function sendInvalid(page: Page) {
  await page.getByLabel("To", { exact: true }).fill("ann@example.net, ben");
  await page.getByLabel("Subject").fill("");
  await page.setInputFiles("input[type=file]", [
    { name: "film.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(5) },
  ]);
  await page.getByRole("button", { name: "Send email" }).click();
  await page.getByText("must be a valid email address").waitFor();
}
