import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test } from "vitest";

import { config } from "#server/config.ts";

import { instanceKey } from "./instance-key.ts";
import { isOpenable, seal, SealError, unseal } from "./seal.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-keys-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("opens a sealed text, and seals the same text differently each time", () => {
  const first = seal("totp_secret", "påske 🐣");
  expect(first).toMatch(/^v2\.[\w-]+$/);
  expect(first).not.toBe(seal("totp_secret", "påske 🐣"));
  expect(unseal("totp_secret", first)).toBe("påske 🐣");
});

test("rejects a secret that was modified, truncated or has another version", () => {
  const sealed = seal("dkim_key", "secret");
  const changed = sealed.slice(0, 10) + (sealed[10] === "A" ? "B" : "A") + sealed.slice(11);
  for (const bad of [changed, sealed.slice(0, 20), sealed.replace("v2", "v9"), "", "secret"])
    expect(() => unseal("dkim_key", bad)).toThrow(SealError);
});

test("opens a secret only for the purpose that it was sealed for", () => {
  const sealed = seal("webhook_secret", "secret");
  expect(unseal("webhook_secret", sealed)).toBe("secret");
  for (const purpose of ["dkim_key", "notification_url", "totp_secret"] as const) {
    expect(() => unseal(purpose, sealed)).toThrow(SealError);
    expect(isOpenable(purpose, sealed)).toBe(false);
  }
});

test("names the key file when a secret was sealed with another key", () => {
  const sealed = seal("dkim_key", "secret");
  const real = config().dataFolder;
  config().dataFolder = folder;
  try {
    expect(() => unseal("dkim_key", sealed)).toThrow(
      /keys\/instance\.key in the data folder is not the key/,
    );
  } finally {
    config().dataFolder = real;
  }
});

test("the key file is readable by its owner only, and a damaged one is not replaced", async () => {
  const real = config().dataFolder;
  instanceKey();
  expect((await stat(join(real, "keys/instance.key"))).mode & 0o777).toBe(0o600);

  await mkdir(join(folder, "keys"));
  await writeFile(join(folder, "keys/instance.key"), "short");
  config().dataFolder = folder;
  try {
    expect(() => instanceKey()).toThrow(/is not an instance key/);
  } finally {
    config().dataFolder = real;
  }
});

test("concurrent processes agree on one key and leave no other file behind", async () => {
  const script = `
    const { instanceKey } = await import("#server/core/shared/secrets/instance-key.ts");
    process.stdout.write(instanceKey().export().toString("hex"));`;
  const run = promisify(execFile);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      run(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, POSTHOUSE_DATA: folder },
      }),
    ),
  );
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
  expect(answers[0]!.stdout).toMatch(/^[0-9a-f]{64}$/);
  expect(await readdir(join(folder, "keys"))).toEqual(["instance.key"]);
});
