// cspell:ignore dfsg
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { findInjectableDovecot, findOutdatedDovecot } from "./dovecot-package.mjs";

const run = promisify(execFile);

/** dpkg as if this revision were installed; null for none. */
const dpkgWith = (version: string | null) => async (command: string, args: string[]) => {
  if (command !== "dpkg-query") return run(command, args);
  if (version === null) throw new Error("no packages found matching dovecot-core");
  return { stdout: version };
};

test.each([
  ["1:2.3.19.1+dfsg1-2.1", true],
  ["1:2.3.19.1+dfsg1-2.1+deb12u1", true],
  ["1:2.3.19.1+dfsg1-2.1+deb12u5", true],
  ["1:2.3.13+dfsg1-2+deb11u2", true],
  ["1:2.3.19.1+dfsg1-2.1+deb12u6", false],
  ["1:2.3.19.1+dfsg1-2.1+deb12u10", false],
  ["1:2.3.21+dfsg1-3", false],
  ["1:2.3.16+dfsg1-3ubuntu2.9", false],
  ["1:2.4.1+dfsg1-6+deb13u6", true],
  ["1:2.4.1+dfsg1-6+deb13u7", false],
  ["1:2.4.2+dfsg1-3ubuntu2.1", false],
  [null, false],
])("Dovecot %s lacks security fixes: %s", async (version, isOutdated) => {
  const outdated = await findOutdatedDovecot(dpkgWith(version));
  expect(outdated?.installed ?? null).toBe(isOutdated ? version : null);
});

test.each([
  ["2.4.1", "1:2.4.1+dfsg1-6", true],
  ["2.4.1", "1:2.4.1+dfsg1-6+deb13u3", true],
  ["2.4.1", "1:2.4.1+dfsg1-6+deb13u4", false],
  ["2.4.2", "1:2.4.2+dfsg1-3ubuntu2.1", false],
  ["2.4.2", null, true],
  ["2.4.3", null, false],
  ["2.3.19.1", "1:2.3.19.1+dfsg1-2.1+deb12u6", false],
])("Dovecot %s, package %s, runs SQL in user names: %s", async (release, version, isUnsafe) => {
  const unsafe = await findInjectableDovecot(release, dpkgWith(version));
  expect(unsafe).toBe(isUnsafe ? (version ?? release) : null);
});
