// Every page in every state, light and dark, on a phone and a desk, into e2e/screenshots/:
//   node e2e/screenshots.ts [--no-build] [part of a name]
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "@playwright/test";

import { ensureSetupToken } from "#server/core/operations/companies/setup-token.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { closePool, db, pool } from "#server/db/pool.ts";
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
import { onHoldShots } from "./on-hold-shots.ts";
import { mailboxShots } from "./mailbox-shots.ts";
import { shellShots } from "./shell-shots.ts";
import { neverAnswer, type Shot } from "./shot.ts";
import { overviewShots } from "./overview-shots.ts";
import { operateShots } from "./operate-shots.ts";
import { become } from "./person.ts";
import { quarantineShots } from "./quarantine-shots.ts";
import { teamShots } from "./team-shots.ts";
import { unitShots } from "./unit-shots.ts";
import { webhookShots } from "./webhook-shots.ts";
import { profileShots } from "./profile-shots.ts";

const FOLDER = join(import.meta.dirname, "screenshots");
const PHONE = 380;
const WIDTHS = [PHONE, 1440];
const SCHEMES = ["light", "dark"] as const;

const [wanted = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** Pages that have their data in common. */
type Area = {
  /** What the names of its pages begin with. */
  words: string[];
  /** Makes the data, in a database without any, and says what there is to see. */
  shots: (appliance: Appliance) => Shot[] | Promise<Shot[]>;
  /** It shows an instance that nobody has set up. */
  isFresh?: boolean;
  needsMailServer?: boolean;
};

const areas: Area[] = [
  { words: ["set-up"], shots: firstRun, isFresh: true },
  { words: ["sign-in", "unknown-page", "navigation"], shots: rest },
  { words: ["shell"], shots: shellShots },
  { words: ["email"], shots: emailShots },
  { words: ["overview", "metrics"], shots: overviewShots },
  { words: ["domain"], shots: domainShots },
  { words: ["webhook"], shots: webhookShots },
  { words: ["profile", "settings", "reset-password", "sign-in"], shots: profileShots },
  { words: ["api-key", "log", "suppressions"], shots: developerShots },
  { words: ["quarantine"], shots: quarantineShots },
  { words: ["account"], shots: accountShots },
  { words: ["team", "audit"], shots: teamShots },
  { words: ["on-hold"], shots: onHoldShots },
  { words: ["operate"], shots: operateShots },
  { words: ["unit"], shots: unitShots },
  { words: ["mailbox", "group"], shots: mailboxShots, needsMailServer: true },
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
    for (const area of wantedAreas()) await takeArea(browser, appliance, area);
  } finally {
    await browser.close();
    await closePool();
    await appliance.stop();
  }
} finally {
  await teardown();
}

/** Those whose pages are called so; all of them for a word from the middle of a name. */
function wantedAreas(): Area[] {
  const named = areas.filter(({ words }) =>
    words.some((word) => word.includes(wanted) || wanted.startsWith(word)),
  );
  return named.length > 0 ? named : areas;
}

async function takeArea(browser: Browser, appliance: Appliance, area: Area): Promise<void> {
  await pool().sql`truncate companies, people, mail_log, settings cascade`;
  // The sign-in page would lead to the first run otherwise.
  if (!area.isFresh) await anAdmin((await aCompany()).id, { isOwner: true });
  const { dataFolder: givenFolder, databaseUrl } = appliance;
  const dovecot = area.needsMailServer ? await aDovecot({ givenFolder, databaseUrl }) : null;
  try {
    const shots = await area.shots(appliance);
    const stray = shots.find(({ name }) => !area.words.some((word) => name.startsWith(word)));
    if (stray) throw new Error(`${stray.name} begins with none of: ${area.words.join(", ")}`);
    await takeAll(browser, appliance, shots);
  } finally {
    await dovecot?.stop();
  }
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
  if (shot.as) await become(page, url, shot.as.cookie);
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
  await page.getByRole("dialog").getByTitle("What is yours").waitFor();
}
