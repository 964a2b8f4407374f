// Every page in every state, light and dark, on a phone and a desk, into e2e/screenshots/:
//   node e2e/screenshots.ts [--no-build] [part of a name]
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "@playwright/test";

import { ensureSetupToken } from "#server/core/companies/setup-token.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import { closePool, db } from "#server/db/pool.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { type Appliance, startAppliance } from "./appliance.ts";
import globalSetup from "./global-setup.ts";
import config from "./playwright.config.ts";
import { manyEmails } from "./seed.ts";
import { accountShots } from "./account-shots.ts";
import { developerShots } from "./developer-shots.ts";
import { domainShots } from "./domain-shots.ts";
import { emailShots } from "./email-shots.ts";
import { heldShots } from "./held-shots.ts";
import { mailboxShots } from "./mailbox-shots.ts";
import { shellShots } from "./shell-shots.ts";
import { neverAnswer, type Shot } from "./shot.ts";
import { overviewShots } from "./overview-shots.ts";
import { operateShots } from "./operate-shots.ts";
import { quarantineShots } from "./quarantine-shots.ts";
import { teamShots } from "./team-shots.ts";
import { unitShots } from "./unit-shots.ts";
import { webhookShots } from "./webhook-shots.ts";
import { youShots } from "./you-shots.ts";

const FOLDER = join(import.meta.dirname, "screenshots");
const PHONE = 380;
const WIDTHS = [PHONE, 1440];
const SCHEMES = ["light", "dark"] as const;

const [wanted = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

if (!process.argv.includes("--no-build")) execFileSync("next", ["build"], { stdio: "inherit" });
const teardown = await globalSetup();
try {
  const appliance = await startAppliance();
  process.env.DATABASE_URL = appliance.databaseUrl;
  process.env.POSTHOUSE_DATA = appliance.dataFolder;
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    await mkdir(FOLDER, { recursive: true });
    await takeAll(browser, appliance, firstRun(appliance));
    await anAdmin((await aCompany()).id, { isOwner: true });
    await takeAll(browser, appliance, await rest());
    await takeAll(browser, appliance, await shellShots());
    await takeAll(browser, appliance, await emailShots());
    await takeAll(browser, appliance, await overviewShots());
    await takeAll(browser, appliance, await domainShots());
    await takeAll(browser, appliance, await webhookShots());
    await takeAll(browser, appliance, await youShots());
    await takeAll(browser, appliance, await developerShots());
    await takeAll(browser, appliance, await quarantineShots());
    await takeAll(browser, appliance, await accountShots());
    await takeAll(browser, appliance, await teamShots());
    await takeAll(browser, appliance, await heldShots());
    await takeAll(browser, appliance, await operateShots());
    await takeAll(browser, appliance, await unitShots());
    const { dataFolder: givenFolder, databaseUrl } = appliance;
    const dovecot = await aDovecot({ givenFolder, databaseUrl });
    await takeAll(browser, appliance, await mailboxShots()).finally(() => dovecot.stop());
  } finally {
    await browser.close();
    await closePool();
    await appliance.stop();
  }
} finally {
  await teardown();
}

function firstRun({ dataFolder }: Appliance): Shot[] {
  const token = ensureSetupToken(dataFolder);
  return [
    { name: "set-up", path: `/console/set-up#${token}` },
    { name: "set-up-without-link", path: "/console/set-up" },
  ];
}

async function rest(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const { name: domain } = await aDomain(companyId, { name: "mail.northwind.example" });
  const email = "ann.lee@northwind.example";
  const admin = await anAdmin(companyId, { privileges: ["api_controls"], name: "Ann Lee", email });
  await manyEmails({ companyId, domain }, 20);
  const as = { cookie: await startSession(db(), admin.id) };
  return [
    { name: "sign-in", path: "/console/sign-in" },
    { name: "sign-in-wrong", path: "/console/sign-in", act: signInWrongly },
    { name: "unknown-page", path: "/console/unknown" },
    { name: "navigation", path: "/console/emails", as, act: openNavigation, onlyOn: PHONE },
  ];
}

async function takeAll(browser: Browser, { url }: Appliance, shots: Shot[]): Promise<void> {
  for (const shot of shots.filter(({ name }) => name.includes(wanted)))
    for (const width of WIDTHS.filter((width) => (shot.onlyOn ?? width) === width))
      for (const colorScheme of SCHEMES) {
        const viewport = { width, height: width === PHONE ? 800 : 900 };
        const context = await browser.newContext({ baseURL: url, viewport, colorScheme });
        await take(await context.newPage(), url, shot, `${shot.name}-${width}-${colorScheme}.png`);
        await context.close();
      }
}

async function take(page: Page, url: string, shot: Shot, file: string): Promise<void> {
  if (shot.as) {
    const [name, value] = shot.as.cookie.split(";")[0]!.split("=");
    await page.context().addCookies([{ name: name!, value: value!, url }]);
  }
  await shot.before?.(page);
  await page.goto(shot.path);
  if (shot.before === neverAnswer) await page.getByRole("status").first().waitFor();
  else
    await page.waitForFunction(
      () => document.querySelectorAll(".mantine-Skeleton-root").length === 0,
    );
  await shot.act?.(page);
  await page.getByRole("main").waitFor();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.screenshot({ path: join(FOLDER, file), fullPage: true, animations: "disabled" });
  process.stdout.write(`${file}${overflow > 0 ? ` is ${overflow} px too wide` : ""}\n`);
}

async function signInWrongly(page: Page) {
  await page.getByLabel("Email address").fill("ann.lee@northwind.example");
  await page.getByRole("textbox", { name: "Password" }).fill("not my password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The email address or the password is wrong").waitFor();
}

async function openNavigation(page: Page) {
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("dialog").getByText("Sign out").waitFor();
}
