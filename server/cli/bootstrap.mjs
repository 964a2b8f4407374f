// Entry point of `npm start`, `npm test`, `npm run install-service` and `npm run posthouse`. Needs only Node.js 18, which
// Debian 12 has: installs what is missing, then runs the command.
import { findDovecot } from "#server/gateways/find-dovecot.mjs";

import { ensureBundles } from "./bootstrap/bundle.mjs";
import { CommandFailed, endOnSignals } from "./bootstrap/children.mjs";
import { chooseTests, neededPrograms } from "./bootstrap/choose-tests.mjs";
import { ensureDebian13 } from "./bootstrap/debian-13.mjs";
import { ensureBuild } from "./bootstrap/next-build.mjs";
import { ensurePackages } from "./bootstrap/npm-packages.mjs";
import { runPosthouse } from "./bootstrap/run-posthouse.mjs";
import { runTests } from "./bootstrap/run-tests.mjs";
import {
  ensureChromium,
  ensureCompanion,
  ensureDovecot,
  ensureTestPrograms,
  ensureOptional,
  offerServerPackages,
} from "./bootstrap/system-packages.mjs";
import { Display, terminalText } from "./display.mjs";

const [command, ...args] = process.argv.slice(2);
const display = new Display();

async function start() {
  await ensurePrograms();
  return runPosthouse(["start", ...args]);
}

async function install() {
  await ensurePrograms();
  return runPosthouse(["install", ...args]);
}

async function upgrade() {
  await ensurePrograms();
  return runPosthouse(["upgrade", ...args]);
}

/** Installs and builds what the roles need. */
async function ensurePrograms() {
  const roles = (process.env.POSTHOUSE_ROLES || "web,worker,mail").split(",");
  const runs = (/** @type {string} */ role) => roles.some((name) => name.trim() === role);
  await Promise.all([
    display.step("npm packages", ensurePackages),
    runs("mail") && display.step("Dovecot", ensureDovecot),
  ]);
  await offerServerPackages(display);
  if (runs("web")) await display.step("Web pages", ensureBuild);
  await display.step("Programs", ensureBundles);
}

async function test() {
  const choice = chooseTests(args);
  const needs = neededPrograms(choice);
  await display.step("npm packages", ensurePackages);
  if (needs.mail) await testPrograms();
  if (needs.browser) {
    await display.step("Chromium", ensureChromium);
    await display.step("Roundcube", () => ensureCompanion("webmail"));
  }
  // Where 2.4 is installed, all tests use it.
  if (choice.only === null && (await findDovecot()).version === "2.4") choice.dovecot24 = [];
  const missing = choice.dovecot24.length > 0 ? await addDebian13(choice) : null;
  return runTests(choice, display, missing);
}

/**
 * Creates the system for Dovecot 2.4. If that fails, for example without a network, the other tests still run, unless the
 * arguments chose these tests.
 *
 * @param {import("./bootstrap/choose-tests.mjs").Choice} choice
 * @returns {Promise<string | null>} why the system is missing
 */
async function addDebian13({ only }) {
  try {
    await display.step("Debian 13", ensureDebian13);
    return null;
  } catch (error) {
    if (only !== null) throw error;
    return String(error);
  }
}

/** Installs the programs that the tests run. */
async function testPrograms() {
  await display.step("Dovecot", ensureDovecot);
  await display.step("restic and rspamd", ensureOptional);
  await display.step("Test programs", ensureTestPrograms);
  return 0;
}

const commands = {
  start,
  install,
  upgrade,
  test,
  "test-programs": testPrograms,
  posthouse: () => runPosthouse(args),
};

endOnSignals();
try {
  const chosen = commands[/** @type {keyof typeof commands} */ (command)];
  if (!chosen) throw new Error("usage: bootstrap.mjs start | install | upgrade | test | posthouse");
  process.exitCode = await chosen();
} catch (error) {
  if (error instanceof CommandFailed) console.error(error.output);
  if (!display.wasShown(error)) display.failure(terminalText(String(error)));
  process.exitCode = 1;
}
