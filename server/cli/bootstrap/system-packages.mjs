// cspell:ignore debootstrap
import { existsSync, rmSync, writeFileSync } from "node:fs";

import { DOVECOT_UPGRADE, findOutdatedDovecot } from "#server/gateways/dovecot-package.mjs";
import {
  COMPANION_PACKAGES,
  DEBIAN_PACKAGES,
  installCommand,
  missingPackages,
} from "#server/gateways/debian-packages.mjs";
import { findDovecot } from "#server/gateways/find-dovecot.mjs";

import { atExit, mustRun, run } from "./children.mjs";

/** Headless Chromium, with which the browser tests take a third less time. */
const HEADLESS_CHROMIUM = { "chromium-headless-shell": "/usr/bin/chromium-headless-shell" };
const CHROMIUM = "/usr/bin/chromium";
/** Programs that the tests run as users and scripts do. */
const TEST_PROGRAMS = {
  isync: "/usr/bin/mbsync",
  msmtp: "/usr/bin/msmtp",
  mutt: "/usr/bin/mutt",
  swaks: "/usr/bin/swaks",
  // swaks needs it for TLS; the path of its files depends on the machine.
  "libnet-ssleay-perl": "/usr/share/doc/libnet-ssleay-perl",
  curl: "/usr/bin/curl",
  // Unpacks exports.
  zstd: "/usr/bin/zstd",
};

/** Debian's packages run this before starting a service (invoke-rc.d(8)); exit code 101 forbids it. */
const POLICY_FILE = "/usr/sbin/policy-rc.d";

/**
 * Makes sure that Dovecot is installed, with Debian's security fixes.
 *
 * @returns {Promise<string>} its version
 */
export async function ensureDovecot() {
  await ensureInstalled("Dovecot", DEBIAN_PACKAGES.dovecot);
  await ensureDovecotFixes({
    find: findOutdatedDovecot,
    upgrade: process.getuid?.() === 0 ? upgradeDovecot : null,
  });
  const { version, release } = await findDovecot();
  if (version !== "2.3" && process.getuid?.() === 0)
    await ensureInstalled("The search index of Dovecot", DEBIAN_PACKAGES.search);
  return release;
}

async function upgradeDovecot() {
  await mustRun("apt-get", ["update", "-q", "-o", "DPkg::Lock::Timeout=120"]);
  const there = Object.entries(DEBIAN_PACKAGES.dovecot).filter(([, file]) => existsSync(file));
  await install(there.map(([name]) => name));
}

/**
 * Upgrades a Dovecot that lacks security fixes.
 *
 * @param {{ find: typeof findOutdatedDovecot, upgrade: (() => Promise<void>) | null }} how `upgrade` is null without root
 */
export async function ensureDovecotFixes({ find, upgrade }) {
  if ((await find()) === null) return;
  await upgrade?.();
  const outdated = await find();
  if (outdated === null) return;
  throw new Error(
    `Dovecot ${outdated.installed} lacks the security fixes in ${outdated.needed}. Run as root: ${DOVECOT_UPGRADE}`,
  );
}

/** The browser of the end-to-end tests. */
export async function ensureChromium() {
  try {
    await ensureInstalled("Chromium", HEADLESS_CHROMIUM);
  } catch (error) {
    if (!existsSync(CHROMIUM)) throw error;
  }
}

/** The path of the browser that `ensureChromium` installed or found. */
export function chromiumPath(isThere = existsSync) {
  const headless = HEADLESS_CHROMIUM["chromium-headless-shell"];
  return isThere(headless) ? headless : CHROMIUM;
}

/** The program that creates a Debian system in a folder. */
export const ensureDebootstrap = () =>
  ensureInstalled("debootstrap", { debootstrap: "/usr/sbin/debootstrap" });

/**
 * Installs what a start can do without, such as restic for backups. Without root, it shows the command.
 *
 * @param {import("../display.mjs").Display} display
 */
export async function offerServerPackages(display) {
  const packages = { ...DEBIAN_PACKAGES.backups, ...DEBIAN_PACKAGES.allocator };
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0)
    display.warning(`To install what backups need, run: sudo ${installCommand(missing)}`);
  // The step shows a failure.
  else await display.step("restic", () => ensureInstalled("restic", packages)).catch(() => {});
}

/** What is optional, for the tests. */
export const ensureOptional = () =>
  ensureInstalled("restic or rspamd", {
    ...DEBIAN_PACKAGES.backups,
    ...DEBIAN_PACKAGES.spamFilter,
  });

/**
 * Roundcube or Radicale, without the services of Debian's packages.
 *
 * @param {keyof typeof COMPANION_PACKAGES} name
 */
export async function ensureCompanion(name) {
  const title = { webmail: "Roundcube", calendar: "Radicale" }[name];
  for (const packages of COMPANION_PACKAGES[name]) await ensureInstalled(title, packages);
}

/** Mail apps and other programs that only the tests run. */
export async function ensureTestPrograms() {
  await ensureInstalled("A test program", TEST_PROGRAMS);
  await ensureCompanion("calendar");
}

/**
 * @param {string} what
 * @param {Record<string, string>} packages
 */
async function ensureInstalled(what, packages) {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      `${what} is missing, and installing it requires root: run \`sudo ${installCommand(missing)}\``,
    );
  if (!existsSync("/usr/bin/apt-get"))
    throw new Error(`${what} is missing, and there is no apt-get: install ${missing.join(", ")}`);
  await install(missing);
  const left = missingPackages(packages);
  if (left.length > 0)
    throw new Error(`${left.join(", ")} didn't provide the needed files: use the container image`);
}

/** @param {string[]} names */
async function install(names) {
  const removeGuard = forbidServices();
  try {
    const options = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { code } = await run("apt-get", ["install", ...options, ...names], { env });
    if (code === 0) return;
    // The package lists are missing or too old.
    await mustRun("apt-get", ["update", "-q", "-o", "DPkg::Lock::Timeout=120"], { env });
    await mustRun("apt-get", ["install", ...options, ...names], { env });
  } finally {
    removeGuard();
  }
}

/** Keeps the distribution's own service from starting: it would listen on every address. */
function forbidServices() {
  if (existsSync(POLICY_FILE)) return () => {};
  writeFileSync(POLICY_FILE, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const remove = () => {
    atExit.delete(remove);
    rmSync(POLICY_FILE, { force: true });
  };
  atExit.add(remove);
  return remove;
}
