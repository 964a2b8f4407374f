import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";

import { dkimKeys, instance, webhooks } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { checkKeys } from "#server/core/operations/system-checks/check-keys.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { dovecotDatabasePassword, type InstanceKeyError } from "./instance-key.ts";
import { requireInstanceKey } from "./require-instance-key.ts";

const run = promisify(execFile);
const ownFolder = config().dataFolder;
const ownKeyFile = join(ownFolder, "keys/instance.key");
let elsewhere: string;

beforeEach(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), "posthouse-second-host-"));
  await db().delete(instance);
  await db().delete(dkimKeys);
  await db().delete(webhooks);
});
afterEach(() => rmSync(elsewhere, { recursive: true, force: true }));

/** Runs `work` on a host with a separate data folder. */
async function onSecondHost<T>(work: () => T | Promise<T>): Promise<T> {
  config().dataFolder = elsewhere;
  try {
    return await work();
  } finally {
    config().dataFolder = ownFolder;
  }
}

const outcomeOf = (work: Promise<void>) =>
  work.then(
    () => "accepted",
    (error: unknown) => (error as InstanceKeyError).message,
  );

test("a new database accepts its first host's key and rejects others", async () => {
  await requireInstanceKey(db());
  await requireInstanceKey(db());
  expect(await onSecondHost(() => outcomeOf(requireInstanceKey(db())))).toContain(
    `${elsewhere}/keys/instance.key is missing. Copy keys/instance.key here`,
  );
  expect(existsSync(join(elsewhere, "keys"))).toBe(false);

  mkdirSync(join(elsewhere, "keys"));
  cpSync(ownKeyFile, join(elsewhere, "keys/instance.key"));
  expect(await onSecondHost(() => outcomeOf(requireInstanceKey(db())))).toBe("accepted");
});

test("rejects a host with another key", async () => {
  mkdirSync(join(elsewhere, "keys"));
  writeFileSync(join(elsewhere, "keys/instance.key"), randomBytes(32).toString("base64url"));
  await requireInstanceKey(db());
  expect(await onSecondHost(() => outcomeOf(requireInstanceKey(db())))).toContain(
    `${elsewhere}/keys/instance.key holds another key. Copy keys/instance.key here`,
  );
});

test("a host that loses the race for a new database is refused", async () => {
  const { promise: won, resolve: commit } = Promise.withResolvers<undefined>();
  const inserted = Promise.withResolvers<undefined>();
  const winner = db().transaction(async (tx) => {
    await tx.insert(instance).values({ keyFingerprint: "another host's" });
    inserted.resolve(undefined);
    await won;
  });
  await inserted.promise;
  const loser = outcomeOf(requireInstanceKey(db()));
  await untilBlocked();
  commit(undefined);
  await winner;
  expect(await loser).toContain("holds another key");
});

test("when several hosts set up one database at once, only one succeeds", async () => {
  const script = `
    const { requireInstanceKey } = await import("#server/core/shared/secrets/require-instance-key.ts");
    const { closePool, db } = await import("#server/db/pool.ts");
    await requireInstanceKey(db()).then(() => console.log("accepted"), () => console.log("refused"));
    await closePool();`;
  const outcomes = await Promise.all(
    ["one", "two", "three"].map((host) =>
      run(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, NODE_NO_WARNINGS: "1", POSTHOUSE_DATA: join(elsewhere, host) },
      }),
    ),
  );
  const words = outcomes.map(({ stdout }) => stdout.trim());
  expect(words.toSorted()).toEqual(["accepted", "refused", "refused"]);
  expect(await db().$count(instance)).toBe(1);
});

test("names the domains whose DKIM key can't be opened", async () => {
  const { id: companyId } = await aCompany();
  const [good, bad] = [await aDomain(companyId), await aDomain(companyId)];
  await requireInstanceKey(db());
  expect(await checkKeys(db())).toMatchObject({ state: "ok" });

  await db()
    .update(dkimKeys)
    .set({ sealedPrivateKey: `v1.${Buffer.alloc(64).toString("base64url")}` })
    .where(eq(dkimKeys.domainId, bad.id));
  const finding = await checkKeys(db());
  expect(finding).toMatchObject({ part: "keys", state: "failed" });
  expect(finding.found).toContain(bad.name);
  expect(finding.found).not.toContain(good.name);
  expect(await onSecondHost(() => checkKeys(db()))).toMatchObject({
    state: "failed",
    found: expect.stringContaining("keys/instance.key is missing") as string,
  });
});

test("Dovecot's database password is the same on hosts that share the instance key", async () => {
  const password = dovecotDatabasePassword();
  expect(password).toMatch(/^[\w-]{43}$/);
  mkdirSync(join(elsewhere, "keys"));
  cpSync(ownKeyFile, join(elsewhere, "keys/instance.key"));
  expect(await onSecondHost(dovecotDatabasePassword)).toBe(password);
});
