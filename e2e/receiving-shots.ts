import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin, anInboundAddress } from "#server/testing/factories.ts";
import { aReceivedEmail } from "#server/testing/received-emails.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

const PRIVILEGES = ["api_controls", "view_groups", "manage_groups"];

const LIKE_A_CUSTOMER = [
  "X-Posthouse-Spam: 0.40",
  "From: Ben Stone <ben@example.org>",
  "To: Northwind Support <support@shop.example>",
  "Cc: eve@example.org",
  "Subject: Re: Your order 1042",
  "Message-ID: <CA+8kZ1@mail.example.org>",
  "Content-Type: multipart/alternative; boundary=b",
  "",
  "--b",
  "Content-Type: text/plain",
  "",
  "Hello,",
  "",
  "the parcel was damaged. See the photo.",
  "",
  "Ben",
  "--b",
  "Content-Type: text/html",
  "",
  "<p>Hello,</p><p>the parcel was damaged.</p>",
  "--b--",
  "",
].join("\r\n");

const LIKE_SPAM = [
  "X-Posthouse-Junk: yes",
  "X-Posthouse-Spam: 11.20",
  "From: Offers <win@offers.example>",
  "Subject: You have been chosen! Claim your prize before the end of today",
  "",
  "Click",
  "",
].join("\r\n");

/** Inbound addresses and received emails in every state. */
export async function receivingShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const domain = await aDomain(companyId, { name: `shop-${companyId.slice(-6)}.example` });
  await anInboundAddress(domain, `support@${domain.name}`);
  await anInboundAddress(domain, `*@${domain.name}`);
  await aReceivedEmail(domain);
  const customer = await aReceivedEmail(domain, { message: LIKE_A_CUSTOMER });
  const spam = await aReceivedEmail(domain, { message: LIKE_SPAM });
  const as = await anAdminSession(companyId, PRIVILEGES);
  const empty = await anAdminSession(
    (await aCompany({ name: "Northwind Trading" })).id,
    PRIVILEGES,
  );
  const list = "/console/receiving";
  return [
    { name: "receiving-full", path: list, as },
    { name: "receiving-create", path: list, as, act: openDialog },
    { name: "receiving-empty", path: list, as: empty },
    { name: "receiving-loading", path: list, as, before: stallRequests },
    { name: "receiving-error", path: list, as, before: failRequests },
    { name: "receiving-email", path: `${list}/${customer}`, as },
    { name: "receiving-problem", path: `${list}/${customer}`, as, before: mockProblem },
    { name: "receiving-spam", path: `${list}/${spam}`, as },
  ];
}

async function anAdminSession(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

/** As if the email had more attachments than are kept. */
async function mockProblem(page: Page) {
  await page.route(/\/console\/api\/received\/get\?/, async (route) => {
    const email = (await (await route.fetch()).json()) as object;
    const problem = "Only the first 50 of 99 attachments are shown";
    await route.fulfill({ json: { ...email, problem } });
  });
}

async function openDialog(page: Page) {
  await page.getByRole("button", { name: "Create inbound address" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/^Catch-all/)
    .check();
}
