import { generateKeyPairSync } from "node:crypto";

import type { Page } from "@playwright/test";

import {
  anImapServer,
  fill,
  type ImapServer,
  SOURCE_PASSWORD,
} from "#server/testing/an-imap-server.ts";
import { aMailbox } from "#server/testing/factories.ts";
import { aMessage } from "#server/testing/imported-mail.ts";
import { runImports } from "#server/testing/run-imports.ts";

import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { companyDomain } from "./seed-mailboxes.ts";

// The old server has a private address, which only local mode connects to.
test.use({ hostname: "" });

const ACCOUNT = "ann@source.example";
let source: ImapServer;
test.beforeAll(async () => {
  source = await anImapServer();
  const old = await source.signIn(ACCOUNT);
  await fill(
    old,
    ["INBOX"],
    [1, 2, 3].map((number) => aMessage(number)),
  );
  await fill(old, ["Sent Items"], [aMessage(4)]);
  await old.logout();
});
test.afterAll(() => source.stop());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function describeSource(page: Page) {
  await page.getByLabel("Old server").selectOption("Another IMAP server");
  await page.getByLabel("Hostname").fill("127.0.0.1");
  await page.getByLabel("Security").selectOption("None");
  await page.getByLabel("Port").fill(String(source.port));
}

test("mail is imported from another server, and new mail later", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn({ privileges: ["view_users", "update_users"] });
  const { address } = await aMailbox(await companyDomain(companyId), { address: `ann@${domain}` });
  await page.goto("/console/mailboxes");
  await page.getByRole("link", { name: "Import mail" }).click();
  await expect(page.getByText("No imports yet")).toBeVisible();
  await page.getByRole("link", { name: "Import mail", exact: true }).last().click();
  await expect(page.getByText("Use an app password")).toBeVisible();
  await describeSource(page);
  await button(page, "Import mail").click();
  await expect(page.getByText("Check the 3 marked fields.")).toBeVisible();
  await page.getByLabel("Account").fill(ACCOUNT);
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.getByRole("combobox", { name: "Into mailbox" }).fill("ann");
  await page.getByRole("option", { name: address }).click();
  await button(page, "Test connection").click();
  await expect(page.getByText(/rejected the account or password/)).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill(SOURCE_PASSWORD);
  await button(page, "Test connection").click();
  await expect(page.getByText("Connected: 4 messages in 2 folders.")).toBeVisible();
  await expectNoPageFaults(page);

  await button(page, "Import mail").click();
  const row = page.getByRole("row", { name: address });
  await expect(row).toContainText("Queued");
  await runImports();
  await expect(row).toContainText("4 of 4 messages");
  await expect(row).toContainText("Done");
  await expect(
    page.getByText("4 of 4 messages on the old server have been imported."),
  ).toBeVisible();
  await expectNoPageFaults(page);

  const old = await source.signIn(ACCOUNT);
  await fill(old, ["INBOX"], [aMessage(5)]);
  await old.logout();
  await row.getByRole("link", { name: address }).click();
  await expect(page.getByText("Into Sent", { exact: true })).toBeVisible();
  await button(page, "Import new mail").click();
  await expect(page.getByText("Queued")).toBeVisible();
  await runImports();
  await expect(page.getByText("5 messages", { exact: false }).first()).toBeVisible();
  await expectNoPageFaults(page);
  await button(page, "Erase password").click();
  await page.getByRole("dialog").getByRole("button", { name: "Erase password" }).click();
  await expect(page.getByText("Not stored")).toBeVisible();
  await button(page, "Import new mail").click();
  await expect(page.getByText("on the old server is no longer stored.")).toBeVisible();
});

test("an app’s credentials import all mailboxes of a company", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn({ privileges: ["view_users", "update_users"] });
  const at = await companyDomain(companyId);
  const [ann, bob] = [`ann@${domain}`, `bob@${domain}`];
  for (const address of [ann, bob]) await aMailbox(at, { address });
  await page.goto("/console/mailboxes/import-mail/new");
  await expect(page.getByText("Use an app password")).toBeVisible();
  // A choice made before the page is interactive is lost.
  await expect(async () => {
    await page.getByLabel("Old server").selectOption("Microsoft 365, all mailboxes");
    await expect(page.getByLabel("Tenant ID")).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await button(page, "Import mail").click();
  await expect(page.getByText("Check the 5 marked fields.")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByLabel("Old server").selectOption("Google Workspace, all mailboxes");
  await page.getByLabel("Several mailboxes").check();
  await page.getByLabel("CSV data").fill(`account\n${ann}\n${bob}`);
  const key = page.getByLabel("Service account key");
  await key.fill("{}");
  await button(page, "Import list").click();
  await expect(page.getByText("must be the JSON key of a service account")).toBeVisible();
  await expectNoPageFaults(page);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const downloaded = {
    type: "service_account",
    client_email: "mover@project.iam.gserviceaccount.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  await key.fill(JSON.stringify(downloaded, null, 2));
  await button(page, "Import list").click();
  const row = page.getByRole("row", { name: bob });
  await expect(row).toContainText("Queued");
  await row.getByRole("link", { name: bob }).click();
  await button(page, "Cancel import").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel import" }).click();
  await button(page, "Import new mail").click();
  const again = page.getByRole("dialog").getByRole("link", { name: "Start a new import" });
  await expect(again).toBeVisible();
  await expectNoPageFaults(page);
});

test("a CSV list is imported, and its errors name the line", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn({ privileges: ["view_users", "update_users"] });
  const at = await companyDomain(companyId);
  const [ann, bob] = [`ann@${domain}`, `bob@${domain}`];
  for (const address of [ann, bob]) await aMailbox(at, { address });
  await page.goto("/console/mailboxes/import-mail/new");
  await expect(page.getByText("Use an app password")).toBeVisible();
  await describeSource(page);
  await page.getByLabel("Several mailboxes").check();
  const list = page.getByLabel("CSV data");
  const line = (mailbox: string) => `${ACCOUNT},${SOURCE_PASSWORD},${mailbox}`;
  await list.fill(`account,mailbox\n${ACCOUNT},${ann}`);
  await button(page, "Import list").click();
  await expect(page.getByText("Missing: password")).toBeVisible();
  await list.fill(["account,password,mailbox", line(ann), line(`nobody@${domain}`)].join("\n"));
  await button(page, "Import list").click();
  await expect(
    page.getByText("Line 3: the mailbox is not a mailbox of your company"),
  ).toBeVisible();
  await list.fill(["account,password,mailbox", line(ann), line(bob)].join("\n"));
  await button(page, "Import list").click();
  await expect(page.getByRole("row", { name: bob })).toContainText("Queued");
});
