import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { mailHosts, systemChecks } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";

import { type CheckName, CHECKS, runCheck, runCheckCombined } from "./checks.ts";
import { failed, combineFindings, ok, warning } from "./finding.ts";
import { listChecks, startChecks } from "./run-checks.ts";

const CHECK_NAMES = CHECKS.map(({ id }) => id);
const checkOf = (name: CheckName) => CHECKS.find(({ id }) => id === name)!;

beforeEach(() => db().delete(systemChecks));

const rows = () => db().select().from(systemChecks);
const startedAt = async () => (await rows()).map(({ name, startedAt }) => `${name} ${startedAt}`);

test("concurrent starts run each check once", async () => {
  const dns = await aDnsServer();
  const around = { config: config(), resolver: createResolver({ dnsServers: [dns] }) };
  // A start after the first run has ended finds recent results.
  const start = () => startChecks(db(), { around, olderThanSeconds: 60 });
  try {
    const runs = await Promise.all(Array.from({ length: 6 }, start));
    await Promise.all(runs.map(({ done }) => done));
  } finally {
    await dns.close();
  }
  expect(dns.questions.filter((question) => question === "MX gmail.com")).toHaveLength(1);
  const known = await listChecks(db());
  expect(known.map(({ name }) => name)).toEqual(CHECK_NAMES);
  expect(known.every(({ state, isRunning }) => state !== null && !isRunning)).toBe(true);
});

test("skips recent and running checks", async () => {
  await (
    await startChecks(db())
  ).done;
  const before = await startedAt();
  await (
    await startChecks(db(), { olderThanSeconds: 60 })
  ).done;
  expect(await startedAt()).toEqual(before);

  await db()
    .update(systemChecks)
    .set({ startedAt: sql`clock_timestamp()` });
  const running = await startedAt();
  await (
    await startChecks(db())
  ).done;
  expect(await startedAt()).toEqual(running);
  expect((await listChecks(db())).every(({ isRunning }) => isRunning)).toBe(true);
});

test("repeats checks with a problem sooner than the others", async () => {
  const checked = { checkedAt: sql`clock_timestamp() - interval '11 minutes'`, found: "Found" };
  const all = CHECK_NAMES.map((name) => ({ name, ...checked, startedAt: checked.checkedAt }));
  await db()
    .insert(systemChecks)
    .values(
      all.map((row) => ({
        ...row,
        state: row.name === "clock" ? ("failed" as const) : ("ok" as const),
      })),
    );
  const old = await startedAt();
  const { done } = await startChecks(db(), { olderThanSeconds: 3600, troubledSeconds: 600 });
  await done;
  const repeated = (await startedAt()).filter((each) => !old.includes(each));
  expect(repeated).toEqual([expect.stringMatching(/^clock /)]);
});

test("a dead run expires after a minute", async () => {
  const died = sql`clock_timestamp() - interval '61 seconds'`;
  await db()
    .insert(systemChecks)
    .values(CHECK_NAMES.map((name) => ({ name, startedAt: died })));
  expect((await listChecks(db())).some(({ isRunning }) => isRunning)).toBe(false);
  await (
    await startChecks(db())
  ).done;
  expect((await rows()).every(({ checkedAt }) => checkedAt !== null)).toBe(true);
});

test("combines findings: only problems, most severe first", () => {
  expect(combineFindings("mail", [ok("a", "fine"), ok("b", "well")])).toEqual(
    ok("mail", "fine. Well"),
  );
  const names = [ok("a", "It responds"), ok("b", "mx.example.test has a record")];
  expect(combineFindings("dns", names).found).toBe("It responds. mx.example.test has a record");
  const wrong = [ok("a", "fine"), warning("b", "odd", "look"), failed("c", "gone", "look")];
  expect(combineFindings("mail", wrong)).toMatchObject({
    state: "failed",
    found: "odd. Gone",
    advice: "look",
  });
});

test("a machine without the mail role checks its connections to the mail hosts", async () => {
  const settings = { ...config(), roles: new Set(["web", "worker"] as const) };
  const around = { db: db(), config: settings, resolver: createResolver(settings) };
  const run = (name: CheckName) => runCheckCombined(checkOf(name), around);
  expect(await runCheck(checkOf("port_in"), around)).toEqual([]);
  expect(await run("port_in")).toMatchObject({ part: "Inbound port 25", state: "unknown" });
  expect(await run("mail")).toMatchObject({
    state: "failed",
    found: "No mail host has started yet",
  });
  // Nothing listens there.
  const mailHost = { name: "127.255.1.1", address: "127.255.1.1", certificate: "PEM" };
  await db().insert(mailHosts).values(mailHost);
  expect(await run("mail")).toMatchObject({
    state: "failed",
    found: "127.255.1.1, port 24240: no response (ECONNREFUSED)",
  });
  await db().delete(mailHosts);
});

test("doctor, Health, alarms and metrics run the checks of the list and no others", () => {
  const repository = join(import.meta.dirname, "../../../..");
  const read = (file: string) => readFileSync(join(repository, file), "utf8");
  const own = "server/core/operations/system-checks";
  const files = readdirSync(join(repository, own)).filter((name) => /^check-[^.]+\.ts$/.test(name));
  const checks = files.flatMap((name) =>
    [...read(join(own, name)).matchAll(/^export (?:async )?function (check\w+)/gm)].map(
      ([, f]) => f!,
    ),
  );
  const sources = [...files, "checks.ts"].map((name) => read(join(own, name))).join("\n");
  const isCalled = (name: string) => new RegExp(`(?<!function )\\b${name}\\(`).test(sources);
  expect(checks.length).toBeGreaterThan(20);
  // The install command uses it while there is no database.
  expect(checks.filter((name) => !isCalled(name))).toEqual(["checkMachineClock"]);

  const folders = ["server/resources", "server/core/operations", "app"];
  const others = folders
    .flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test.") && !file.startsWith(own));
  const importing = ["server/cli/doctor.ts", ...others].filter((file) =>
    /system-checks\/check-/.test(read(file)),
  );
  expect(importing).toEqual([]);
});
