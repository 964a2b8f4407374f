import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

const PROGRAM = `
  import module from "node:module";
  import { enableCodeCache } from ${JSON.stringify(join(import.meta.dirname, "code-cache.mjs"))};
  enableCodeCache(process.argv[1]);
  console.log(JSON.stringify({
    own: module.getCompileCacheDir() ?? null,
    inherited: process.env.NODE_COMPILE_CACHE ?? null,
  }));`;

/** The cache of a process, and the one its children inherit. */
function cachesWith(dataFolder: string): { own: string | null; inherited: string | null } {
  const env = { ...process.env };
  delete env.NODE_COMPILE_CACHE;
  const args = ["--input-type=module", "--eval", PROGRAM, dataFolder];
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: "utf8" })) as ReturnType<
    typeof cachesWith
  >;
}

test("root runs no code from the data folder, which the service user can write to", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-code-"));
  const { own, inherited } = cachesWith(dataFolder);
  const isRoot = process.getuid!() === 0;
  expect({ isInside: own?.startsWith(dataFolder), inherited }).toEqual(
    isRoot
      ? { isInside: false, inherited: null }
      : { isInside: true, inherited: join(dataFolder, "cache/code") },
  );
  rmSync(dataFolder, { recursive: true });
});
