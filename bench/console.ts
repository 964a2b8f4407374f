import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { chromium } from "@playwright/test";

import { aDovecot } from "#server/testing/a-dovecot.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";
import { closePool } from "#server/db/pool.ts";
import { config } from "#server/config.ts";
import { migrate } from "#server/db/migrate.ts";
import { chromiumPath } from "#server/cli/bootstrap/system-packages.mjs";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { children, startChild } from "./start-child.ts";
import { measureCold, measureWarm, type Visit } from "./measure-page.ts";
import { consolePages, sortedPages } from "./console-pages.ts";
import { seedConsole } from "./seed-console.ts";
import { requireDiskSpace } from "./seed-emails.ts";
import { reportFindings } from "./summary.ts";

// Measures how long the console's main pages take with much data: in a fresh browser (cold) and by following
// a link in the console (warm), until the page shows its rows and is idle. For comparison, a bare page of the
// same length from a bare server.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "1000000" },
    mailboxes: { type: "string", default: "10000" },
    // So that the 95th percentile isn't the slowest load.
    loads: { type: "string", default: "21" },
    chromium: { type: "string", default: chromiumPath() },
  },
});

const loads = Number(options.loads);
const emails = Number(options.emails);
// Two in five belong to other companies, and their histories need space too.
await requireDiskSpace(tmpdir(), 2 * emails);
const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({
  folder: join(folder, "postgres"),
  settings: { max_wal_size: "4GB" },
});
Object.assign(process.env, { DATABASE_URL: postgres.url, POSTHOUSE_DATA: folder });
config().databaseUrl = postgres.url;
let web: WebProcess | undefined;
try {
  await migrate(postgres.url);
  console.error(`Writing ${emails} emails and ${options.mailboxes} mailboxes`);
  const seeded = await seedConsole({ emails, mailboxes: Number(options.mailboxes) });
  const dovecot = await aDovecot({ givenFolder: folder, databaseUrl: postgres.url });
  web = await startWebProcess({ env: { POSTHOUSE_BIND: "127.0.0.1" } });
  const { first } = await startChild("bench/bare-page.ts");
  const browser = await chromium.launch({ executablePath: options.chromium });
  try {
    const url = `http://localhost:${web.port}`;
    const bare = await measureCold(browser, {
      url: `http://localhost:${String(first.port)}`,
      path: "/",
      shows: "tbody tr",
      loads,
    });
    const rows: Record<string, Visit & { "cold ratio": number }> = {};
    const linked = consolePages(seeded);
    for (const page of [...linked, ...sortedPages(seeded)]) {
      const place = { ...page, url, cookie: seeded.cookie, loads };
      const cold = await measureCold(browser, place);
      console.error(page.path, cold);
      const warm = linked.includes(page) && (await measureWarm(browser, place));
      rows[page.path] = {
        ...cold,
        ...warm,
        "cold ratio": round(cold["cold p50"] / bare["cold p50"]),
      };
    }
    console.table({ "bare page": bare, ...rows });
    const most = (name: "cold p95" | "JS kB") =>
      Math.max(...Object.values(rows).map((row) => row[name] ?? 0));
    const size = `${emails} emails, ${options.mailboxes} mailboxes`;
    reportFindings([
      {
        what: `slowest console page, cold p95, ${size}`,
        unit: "ms",
        measured: most("cold p95"),
        atMost: 400,
      },
      {
        what: "script of the largest console page",
        unit: "kB",
        measured: most("JS kB"),
        atMost: 200,
      },
    ]);
  } finally {
    await browser.close();
    // Doesn't delete the folder, because the database still runs in it.
    const { running, sieveListener, policyServer } = dovecot;
    await Promise.all([running.stop(), sieveListener.stop(), policyServer.stop()]);
  }
} finally {
  await web?.stop();
  for (const child of children) child.kill();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function round(ratio: number): number {
  return Number(ratio.toFixed(1));
}
