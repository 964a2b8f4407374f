import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";
import { testIf } from "#server/testing/test-if.ts";

import { isCopy, placeProgram, putBackPreviousCopy } from "./put-in-place.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");

let folder: string;
let clone: string;
let target: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-place-"));
  chmodSync(folder, 0o755);
  clone = join(folder, "clone");
  target = join(folder, "opt/posthouse");
  for (const name of ["server", "data", ".git"]) mkdirSync(join(clone, name), { recursive: true });
  writeFileSync(join(clone, "package.json"), "first");
  writeFileSync(join(clone, "server/main.ts"), "");
  mkdirSync(join(clone, "docker"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = async (isHiddenFolder: (folder: string) => boolean = () => false) =>
  placeProgram(target, { user: await serviceUser(), root: clone, isHiddenFolder });

testAsRoot(
  "a folder that belongs to root and that the service can read is used as it is",
  async () => {
    expect(await place()).toBe(clone);
    expect(existsSync(target)).toBe(false);
  },
);

testAsRoot("a folder that the service can't enter is copied without data and history", async () => {
  chmodSync(clone, 0o700);
  expect(await place()).toBe(target);
  expect(isCopy(target)).toBe(true);
  expect(existsSync(join(target, "server/main.ts"))).toBe(true);
  expect(existsSync(join(target, "data"))).toBe(false);
  expect(existsSync(join(target, ".git"))).toBe(false);
  expect(statSync(target).mode & 0o777).toBe(0o755);
});

testAsRoot(
  "a copy, which everyone can read, doesn't have the settings of Docker Compose",
  async () => {
    chmodSync(clone, 0o700);
    for (const file of [".env", "docker/.env"])
      writeFileSync(join(clone, file), "POSTHOUSE_RELAY_URL=smtp://user:secret@host");
    expect(readdirSync(await place())).not.toContain(".env");
    expect(readdirSync(join(target, "docker"))).toEqual([]);
  },
);

testAsRoot("a folder that systemd hides from the service is copied", async () => {
  expect(await place((folder) => folder === clone)).toBe(target);
  expect(isCopy(target)).toBe(true);
});

testAsRoot("a folder that another user can change is copied, and belongs to root", async () => {
  chownSync(join(clone), 12_345, 12_345);
  chownSync(join(clone, "server/main.ts"), 12_345, 12_345);
  chmodSync(join(clone, "server/main.ts"), 0o666);
  expect(await place()).toBe(target);
  const { uid, mode } = statSync(join(target, "server/main.ts"));
  expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o644 });
});

testAsRoot(
  "a second copy replaces the first until it is put back, but never a folder that install didn't make",
  async () => {
    chmodSync(clone, 0o700);
    await place();
    writeFileSync(join(clone, "package.json"), "second");
    await place();
    expect(readFileSync(join(target, "package.json"), "utf8")).toBe("second");
    putBackPreviousCopy(target);
    expect(readFileSync(join(target, "package.json"), "utf8")).toBe("first");
    rmSync(target, { recursive: true });
    mkdirSync(target);
    await expect(place()).rejects.toThrow("isn't a copy that install made");
  },
);
