import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import {
  anEvent,
  UNAVAILABLE_ATTEMPT,
  DNS_ERROR_ATTEMPT,
  SUCCESSFUL_ATTEMPT,
  webhooksInEveryState,
} from "./seed-webhooks.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The webhook pages: enabled, failing, disabled, their events, and empty. */
export async function webhookShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const { well, failing, disabled, paused } = await webhooksInEveryState(companyId);
  const delivered = await anEvent(well, {
    attempts: [UNAVAILABLE_ATTEMPT, DNS_ERROR_ATTEMPT, SUCCESSFUL_ATTEMPT],
    status: "success",
  });
  const retried = await anEvent(failing, { attempts: [UNAVAILABLE_ATTEMPT, DNS_ERROR_ATTEMPT] });
  const email = "ann.lee@shop.northwind.example";
  const person = await anAdminSession(companyId, ["api_controls"], { email });
  const without = await anAdminSession(companyId, ["domains"]);
  const empty = await anAdminSession((await aCompany({ name: "Northwind Trading" })).id, [
    "api_controls",
  ]);
  const list = "/console/webhooks";
  const of = ({ id }: { id: string }) => `${list}/${id}`;
  const onTab = (name: string) => `${of(well)}?tab=${name}`;
  return [
    { name: "webhooks-full", path: list, as: person },
    { name: "webhooks-empty", path: list, as: empty },
    { name: "webhooks-loading", path: list, as: person, before: stallRequests },
    { name: "webhooks-error", path: list, as: person, before: failRequests },
    { name: "webhooks-no-privilege", path: list, as: without },
    { name: "webhooks-new", path: `${list}/new`, as: empty },
    { name: "webhooks-new-refused", path: `${list}/new`, as: empty, act: createWithPrivateAddress },
    { name: "webhooks-new-secret", path: `${list}/new`, as: empty, act: create },
    { name: "webhook-well", path: of(well), as: person },
    { name: "webhook-failing", path: of(failing), as: person },
    { name: "webhook-disabled-for-failures", path: of(disabled), as: person },
    { name: "webhook-paused", path: of(paused), as: person },
    { name: "webhook-filtered", path: `${of(well)}?status=failed`, as: person },
    { name: "webhook-loading", path: of(well), as: person, before: stallRequests },
    { name: "webhook-error", path: of(well), as: person, before: failRequests },
    { name: "webhook-signing", path: onTab("signing"), as: person, act: reveal },
    { name: "webhook-settings", path: onTab("settings"), as: person },
    { name: "webhook-delete", path: onTab("settings"), as: person, act: openDeleteDialog },
    { name: "webhook-event", path: `${of(well)}/events/${delivered}`, as: person },
    { name: "webhook-event-retried", path: `${of(failing)}/events/${retried}`, as: person },
  ];
}

async function anAdminSession(
  companyId: string,
  privileges: string[],
  more: { email?: string } = {},
) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee", ...more });
  return { cookie: await startSession(db(), admin.id) };
}

async function fill(page: Page, endpoint: string) {
  await page.getByLabel("Endpoint").fill(endpoint);
  await page.getByRole("checkbox", { name: "All events" }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
}

async function createWithPrivateAddress(page: Page) {
  await fill(page, "https://10.0.0.1/hooks");
  await page.getByText("must be at a public address").waitFor();
}

async function create(page: Page) {
  await fill(page, `https://hooks-${Date.now()}.northwind.example.com/`);
  await page.getByRole("dialog").getByText("whsec_").waitFor();
}

async function reveal(page: Page) {
  await page.getByRole("button", { name: "Reveal secret" }).click();
  await page.getByText("whsec_", { exact: false }).first().waitFor();
}

async function openDeleteDialog(page: Page) {
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByRole("dialog").getByRole("textbox").waitFor();
}
