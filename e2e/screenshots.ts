// Takes screenshots of every page in every state, in both themes and two widths, into e2e/screenshots/:
//   node e2e/screenshots.ts [--no-build] [--380-dark] [--1440-light] [--380-light] [--1440-dark] [name filter ...]
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "@playwright/test";

import { ensureSetupToken } from "#server/core/operations/companies/set-up.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { closePool, db, pool } from "#server/db/pool.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { type Appliance, startAppliance } from "./appliance.ts";
import globalSetup from "./global-setup.ts";
import config from "./playwright.config.ts";
import { seedEmails } from "./seed.ts";
import { accountShots } from "./account-shots.ts";
import { deletedShots } from "./deleted-shots.ts";
import { developerShots } from "./developer-shots.ts";
import { domainShots } from "./domain-shots.ts";
import { emailShots } from "./email-shots.ts";
import { importShots } from "./import-shots.ts";
import { onHoldShots } from "./on-hold-shots.ts";
import { mailboxShots } from "./mailbox-shots.ts";
import { shellShots } from "./shell-shots.ts";
import { stallRequests, type Shot } from "./screenshot.ts";
import { overviewShots } from "./overview-shots.ts";
import { operateShots } from "./operate-shots.ts";
import { signInWithCookie } from "./session.ts";
import { quarantineShots } from "./quarantine-shots.ts";
import { receivingShots } from "./receiving-shots.ts";
import { teamShots } from "./team-shots.ts";
import { templateShots } from "./template-shots.ts";
import { unitShots } from "./unit-shots.ts";
import { webhookShots } from "./webhook-shots.ts";
import { profileShots } from "./profile-shots.ts";

const FOLDER = join(import.meta.dirname, "screenshots");
const PHONE = 380;
const LOOKS = [
  { width: PHONE, colorScheme: "dark" },
  { width: 1440, colorScheme: "light" },
  { width: PHONE, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
] as const;
const chosen = LOOKS.filter((look) => process.argv.includes(`--${nameOf(look)}`));
const looks = chosen.length > 0 ? chosen : LOOKS;

const filters = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (filters.length === 0) filters.push("");

type Look = (typeof LOOKS)[number];

function nameOf({ width, colorScheme }: Look): string {
  return `${width}-${colorScheme}`;
}

/** Pages that share their test data. */
type Area = {
  /** Prefixes of its screenshots' names. */
  prefixes: string[];
  /** Creates the data in an empty database and returns the screenshots to take. */
  shots: (appliance: Appliance) => Shot[] | Promise<Shot[]>;
  /** Runs before the first setup. */
  isFresh?: boolean;
  needsMailServer?: boolean;
};

const areas: Area[] = [
  { prefixes: ["set-up"], shots: setUpShots, isFresh: true },
  { prefixes: ["sign-in", "unknown-page", "navigation"], shots: signInShots },
  { prefixes: ["shell"], shots: shellShots },
  { prefixes: ["email"], shots: emailShots },
  { prefixes: ["overview", "metrics"], shots: overviewShots },
  { prefixes: ["domain"], shots: domainShots },
  { prefixes: ["template"], shots: templateShots },
  { prefixes: ["webhook"], shots: webhookShots },
  { prefixes: ["profile", "settings", "reset-password", "sign-in"], shots: profileShots },
  { prefixes: ["api-key", "log", "suppressions"], shots: developerShots },
  { prefixes: ["deleted"], shots: deletedShots },
  { prefixes: ["quarantine"], shots: quarantineShots },
  { prefixes: ["receiving"], shots: receivingShots },
  { prefixes: ["account"], shots: accountShots },
  { prefixes: ["team", "audit"], shots: teamShots },
  { prefixes: ["on-hold"], shots: onHoldShots },
  { prefixes: ["operate"], shots: operateShots },
  { prefixes: ["unit"], shots: unitShots },
  { prefixes: ["import"], shots: importShots },
  { prefixes: ["mailbox", "group"], shots: mailboxShots, needsMailServer: true },
];

if (!process.argv.includes("--no-build")) execFileSync("next", ["build"], { stdio: "inherit" });
const teardown = await globalSetup();
try {
  const appliance = await startAppliance();
  process.env.DATABASE_URL = appliance.databaseUrl;
  process.env.POSTHOUSE_DATA = appliance.dataFolder;
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    await mkdir(FOLDER, { recursive: true });
    for (const area of matchingAreas()) await captureArea(browser, appliance, area);
  } finally {
    await browser.close();
    await closePool();
    await appliance.stop();
  }
} finally {
  await teardown();
}

/** The areas whose prefix matches a filter, or all of them if the filters match only inside names. */
function matchingAreas(): Area[] {
  const matching = areas.filter(({ prefixes }) =>
    prefixes.some((prefix) =>
      filters.some((filter) => prefix.includes(filter) || filter.startsWith(prefix)),
    ),
  );
  return matching.length > 0 ? matching : areas;
}

async function captureArea(browser: Browser, appliance: Appliance, area: Area): Promise<void> {
  await pool().sql`truncate companies, people, mail_log, settings cascade`;
  // Without an admin, the sign-in page redirects to the first setup.
  if (!area.isFresh) await anAdmin((await aCompany()).id, { isOwner: true });
  const { dataFolder: givenFolder, databaseUrl } = appliance;
  const dovecot = area.needsMailServer ? await aDovecot({ givenFolder, databaseUrl }) : null;
  try {
    const shots = await area.shots(appliance);
    const stray = shots.find(
      ({ name }) => !area.prefixes.some((prefix) => name.startsWith(prefix)),
    );
    if (stray)
      throw new Error(`${stray.name} doesn't start with any of: ${area.prefixes.join(", ")}`);
    await captureAll(browser, appliance, shots);
  } finally {
    await dovecot?.stop();
  }
}

function setUpShots({ dataFolder }: Appliance): Shot[] {
  const token = ensureSetupToken(dataFolder);
  return [
    { name: "set-up", path: `/console/set-up#${token}` },
    { name: "set-up-without-link", path: "/console/set-up" },
  ];
}

async function signInShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const { name: domain } = await aDomain(companyId, { name: "mail.northwind.example" });
  const email = "ann.lee@northwind.example";
  const admin = await anAdmin(companyId, { privileges: ["api_controls"], name: "Ann Lee", email });
  await seedEmails({ companyId, domain }, 20);
  const as = { cookie: await startSession(db(), admin.id) };
  return [
    { name: "sign-in", path: "/console/sign-in" },
    { name: "sign-in-wrong", path: "/console/sign-in", act: submitWrongPassword },
    { name: "unknown-page", path: "/console/unknown" },
    { name: "navigation", path: "/console/emails", as, act: openNavigation, onlyOn: PHONE },
  ];
}

async function captureAll(browser: Browser, { url }: Appliance, shots: Shot[]): Promise<void> {
  for (const shot of shots.filter(({ name }) => filters.some((filter) => name.includes(filter))))
    for (const look of looks.filter(({ width }) => (shot.onlyOn ?? width) === width)) {
      const { width, colorScheme } = look;
      const viewport = { width, height: width === PHONE ? 800 : 900 };
      const context = await browser.newContext({ baseURL: url, viewport, colorScheme });
      const file = `${shot.name}-${nameOf(look)}.png`;
      try {
        await capture(await context.newPage(), url, shot, file);
      } catch (error) {
        process.exitCode = 1;
        process.stdout.write(`${file}: ${(error as Error).message}\n`);
      }
      await context.close();
    }
}

async function capture(page: Page, url: string, shot: Shot, file: string): Promise<void> {
  if (shot.as) await signInWithCookie(page, url, shot.as.cookie);
  await shot.before?.(page);
  await page.goto(shot.path);
  if (shot.before === stallRequests) await page.getByRole("status").first().waitFor();
  else
    await page.waitForFunction(
      () => document.querySelectorAll(".mantine-Skeleton-root, [data-skeleton]").length === 0,
    );
  await shot.act?.(page);
  await page.getByRole("main").waitFor();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.screenshot({ path: join(FOLDER, file), fullPage: true, animations: "disabled" });
  process.stdout.write(`${file}${overflow > 0 ? `: ${overflow} px too wide` : ""}\n`);
}

async function submitWrongPassword(page: Page) {
  await page.getByLabel("Email address").fill("ann.lee@northwind.example");
  await page.getByRole("textbox", { name: "Password" }).fill("not my password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The email address or password is incorrect").waitFor();
}

async function openNavigation(page: Page) {
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("dialog").getByTitle("Profile, theme, and sign out").waitFor();
}
