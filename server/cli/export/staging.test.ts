import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type * as Files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openStaging, readTarget } from "./staging.ts";

/** As on file systems without hard links. */
let noLink: { code: string; meanwhile?: () => void } | null = null;
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Files>();
  return {
    ...real,
    link: (from: string, to: string) => {
      if (!noLink) return real.link(from, to);
      noLink.meanwhile?.();
      throw Object.assign(new Error("no links"), { code: noLink.code });
    },
  };
});

const root = mkdtempSync(join(tmpdir(), "posthouse-staging-"));
const synced = join(root, "synced");
beforeAll(() => {
  // Records whether the export has its name when it syncs.
  const programs = join(root, "bin");
  mkdirSync(programs);
  writeFileSync(
    join(programs, "sync"),
    `#!/bin/sh\n[ -e ${root}/folder ] && echo "$1 after" >> ${synced} || echo "$1 before" >> ${synced}\n`,
    { mode: 0o755 },
  );
  vi.stubEnv("PATH", `${programs}:${process.env.PATH!}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

async function anExport(name: string) {
  await using staging = await openStaging(readTarget(join(root, name)));
  writeFileSync(join(staging.folder, "a"), "content");
  await staging.finish();
}

test("never replaces anything, and never runs twice at a time", async () => {
  const target = readTarget(join(root, "new"));
  {
    await using staging = await openStaging(target);
    await expect(openStaging(target)).rejects.toThrow("another export is running");
    mkdirSync(target.path);
    await expect(staging.finish()).rejects.toThrow(`${target.path} already exists`);
  }
  expect(readdirSync(target.path)).toEqual([]);
  await expect(openStaging(target)).rejects.toThrow(`${target.path} already exists`);
  expect(readdirSync(root)).not.toContain("new.partial");
  expect(() => readTarget("/x/y.zip")).toThrow("must be a folder, or end with");
});

test("syncs a folder before it gets its name, and the name", async () => {
  await anExport("folder");
  expect(readFileSync(synced, "utf8")).toBe("--file-system before\n--file-system after\n");
  expect(readFileSync(join(root, "folder/a"), "utf8")).toBe("content");
});

test.each(["EPERM", "ENOTSUP", "ENOSYS"])(
  "writes an archive without hard links (%s), and replaces nothing",
  async (code) => {
    noLink = { code };
    await anExport(`${code}.tar.gz`);
    const taken = join(root, `taken-${code}.tar.gz`);
    noLink = { code, meanwhile: () => writeFileSync(taken, "other") };
    await expect(anExport(`taken-${code}.tar.gz`)).rejects.toThrow(`${taken} already exists`);
    noLink = null;
    expect(readFileSync(taken, "utf8")).toBe("other");
    const made = readdirSync(root).filter((name) => name.includes(code));
    expect(made.toSorted()).toEqual([`${code}.tar.gz`, `taken-${code}.tar.gz`].toSorted());
  },
);
