// cspell:ignore dfsg
import { expect, test } from "vitest";

import { chromiumPath, ensureDovecotFixes } from "./system-packages.mjs";

test("upgrades a Dovecot that lacks security fixes, or says how", async () => {
  const OLD = "1:2.3.19.1+dfsg1-2.1+deb12u1";
  let outdated: { installed: string; needed: string } | null = { installed: OLD, needed: "NEW" };
  const find = () => Promise.resolve(outdated);
  const refusal = `Dovecot ${OLD} lacks the security fixes in NEW. Run as root: apt-get update && apt-get install`;
  await expect(ensureDovecotFixes({ find, upgrade: null })).rejects.toThrow(refusal);
  // Debian's mirror doesn't have it yet.
  await expect(ensureDovecotFixes({ find, upgrade: async () => {} })).rejects.toThrow(refusal);
  const upgrade = () => {
    outdated = null;
    return Promise.resolve();
  };
  await ensureDovecotFixes({ find, upgrade });
  await ensureDovecotFixes({ find, upgrade: null });
});

test("browser tests use Chromium without a user interface if it is installed", () => {
  expect(chromiumPath(() => true)).toBe("/usr/bin/chromium-headless-shell");
  expect(chromiumPath(() => false)).toBe("/usr/bin/chromium");
});
