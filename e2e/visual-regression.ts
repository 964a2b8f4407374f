import type { Page } from "@playwright/test";

import { pool } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { deletedShots } from "./deleted-shots.ts";
import { developerShots } from "./developer-shots.ts";
import { domainShots } from "./domain-shots.ts";
import { expect, test } from "./fixtures.ts";
import { overviewShots } from "./overview-shots.ts";
import { profileShots } from "./profile-shots.ts";
import type { Shot } from "./screenshot.ts";
import { signInWithCookie } from "./session.ts";
import { teamShots } from "./team-shots.ts";
import { templateShots } from "./template-shots.ts";
import { unitShots } from "./unit-shots.ts";
import { webhookShots } from "./webhook-shots.ts";

type Area = { shots: () => Shot[] | Promise<Shot[]>; names: string[] };

/** The pages of `screenshots.ts` whose content is the same in every run, apart from what is masked. */
const AREAS: Record<string, Area> = {
  overview: { shots: overviewShots, names: ["overview-new", "overview-goals", "metrics-empty"] },
  domains: {
    shots: domainShots,
    names: ["domains-full", "domains-create-error", "domain-token-error", "domain-setup-review"],
  },
  deleted: { shots: deletedShots, names: ["deleted-empty", "deleted-no-privilege"] },
  templates: { shots: templateShots, names: ["templates-full", "templates-new-errors"] },
  webhooks: { shots: webhookShots, names: ["webhooks-empty", "webhooks-new-refused"] },
  profile: { shots: profileShots, names: ["profile", "settings-company"] },
  developer: { shots: developerShots, names: ["api-keys-new-errors", "suppressions-add"] },
  team: { shots: teamShots, names: ["team-roles-empty", "audit-empty"] },
  units: { shots: unitShots, names: ["units-full"] },
};

const LOOKS = [
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 380, height: 800, colorScheme: "dark" },
] as const;

test.use({ expectedConsoleErrors: /./ });

for (const [area, { shots, names }] of Object.entries(AREAS))
  test(area, async ({ browser, appliance }) => {
    await pool().sql`truncate companies, people, mail_log, settings cascade`;
    await anAdmin((await aCompany()).id, { isOwner: true });
    const taken = await shots();
    for (const name of names) {
      const shot = taken.find((one) => one.name === name);
      if (!shot) throw new Error(`${area} has no ${name}`);
      for (const { width, height, colorScheme } of LOOKS) {
        const viewport = { width, height };
        const context = await browser.newContext({ baseURL: appliance.url, viewport, colorScheme });
        const page = await context.newPage();
        await open(page, appliance.url, shot);
        await expect
          .soft(page)
          .toHaveScreenshot(`${name}-${width}-${colorScheme}.png`, { mask: changing(page) });
        await context.close();
      }
    }
  });

async function open(page: Page, url: string, shot: Shot) {
  if (shot.as) await signInWithCookie(page, url, shot.as.cookie);
  await shot.before?.(page);
  await page.goto(shot.path);
  await page.waitForFunction(
    () => !document.querySelector(".mantine-Skeleton-root, [data-skeleton]"),
  );
  await shot.act?.(page);
  await page.getByRole("main").waitFor();
}

/** Elements that differ in every run: times, random values, and the address of the signed-in admin. */
const changing = (page: Page) => [
  page.locator("time, code, pre"),
  page.getByTitle("Profile, theme, and sign out"),
];
