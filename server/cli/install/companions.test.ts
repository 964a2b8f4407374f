import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";

import { afterEach, beforeEach, expect, onTestFinished, vi } from "vitest";

import { Display } from "#server/cli/display.mjs";
import { readConfig } from "#server/config.ts";
import { COMPANION_PACKAGES } from "#server/gateways/debian-packages.mjs";
import { serviceUser } from "#server/processes/service-user.ts";
import { testIf } from "#server/testing/test-if.ts";

import { disableCompanion, enableCompanion, removeCompanions } from "./companions.ts";
import { commandFile, type InstallPaths, installPaths } from "./installed-files.ts";
import { putInPlace } from "./put-in-place.ts";
import { readSettingsFile } from "./settings-file.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");
const program = join(import.meta.dirname, "../../..");
let root: string;
let paths: InstallPaths;
const quiet = new Display(new PassThrough().resume() as unknown as NodeJS.WriteStream);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-companions-"));
  paths = installPaths(root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Installs Posthouse and a systemctl by which none of Debian's services is active. */
function installFiles(): void {
  write(
    paths.settings,
    `POSTHOUSE_HOSTNAME=mail.example.com\nPORT=443\nPOSTHOUSE_DATA=${paths.data}\n`,
  );
  write(
    paths.command,
    commandFile({ node: "node", program, settings: paths.settings, user: "posthouse" }),
  );
  for (const folder of [paths.systemd, dirname(paths.unit), paths.data])
    mkdirSync(folder, { recursive: true });
  write(
    join(root, "bin/systemctl"),
    `#!/bin/sh\necho "$*" >> ${root}/calls\n[ "$1" != is-active ]\n`,
  );
  // Users of its own: other tests run as this machine's service user meanwhile.
  for (const file of ["passwd", "group"]) write(join(root, "etc", file), "");
  const programs = ["groupadd", "useradd", "usermod"];
  for (const program of programs)
    write(
      join(root, "bin", program),
      `#!/bin/sh\nexec /usr/sbin/${program} --prefix ${root} "$@"\n`,
    );
  write(join(root, "bin/getent"), `#!/bin/sh\nexec grep "^$2:" ${root}/etc/$1\n`);
  for (const program of [...programs, "getent", "systemctl"])
    chmodSync(join(root, "bin", program), 0o755);
  vi.stubEnv("PATH", `${root}/bin:${process.env.PATH!}`);
}

const calls = () => readFileSync(join(root, "calls"), "utf8").trim().split("\n");
const unitOf = (name: string) => join(dirname(paths.unit), `posthouse-${name}.service`);

/** Expects a folder to have this mode, and this user and its group as owners. Returns the ID of the group. */
function expectOwner(folder: string, user: string, wanted: number): number {
  const { uid, gid, mode } = statSync(folder);
  expect(mode & 0o7777).toBe(wanted);
  expect(readFileSync(join(root, "etc/passwd"), "utf8")).toMatch(
    new RegExp(`^${user}:[^:]*:${uid}:${gid}:`, "m"),
  );
  return gid;
}

testAsRoot("webmail runs as its own user, and disabling it keeps its data", async () => {
  await expect(enableCompanion("webmail", paths, quiet)).rejects.toThrow(
    "COMPOSE_PROFILES=webmail",
  );
  installFiles();
  await enableCompanion("webmail", paths, quiet);
  const folder = join(paths.data, "webmail");
  const gid = expectOwner(folder, "posthouse-webmail", 0o2770);
  expect(readFileSync(join(root, "etc/group"), "utf8")).toContain(`:${gid}:posthouse\n`);
  expect(readSettingsFile(paths.settings).POSTHOUSE_WEBMAIL).toBe(`unix:${folder}/http.sock`);
  const text = readFileSync(unitOf("webmail"), "utf8");
  expect(text).toContain(
    "Environment=POSTHOUSE_APPLIANCE=https://127.0.0.1:443\nEnvironment=POSTHOUSE_HOSTNAME=mail.example.com\n",
  );
  const start = /^ExecStart=(.+)$/m.exec(text)![1]!;
  expect(statSync(start).mode & 0o111).toBe(0o111);
  expect(calls()).toEqual(
    expect.arrayContaining([
      "disable --quiet lighttpd.service",
      expect.stringMatching(/^disable --quiet php\d\.\d-fpm\.service$/),
      "enable --quiet posthouse-webmail.service",
      "restart posthouse-webmail.service",
    ]),
  );

  writeFileSync(join(folder, "roundcube.db"), "");
  await disableCompanion("webmail", paths, quiet);
  expect(existsSync(unitOf("webmail"))).toBe(false);
  expect(readSettingsFile(paths.settings).POSTHOUSE_WEBMAIL).toBe("");
  expect(existsSync(join(folder, "roundcube.db"))).toBe(true);
  // Nothing to remove.
  await removeCompanions(paths);
});

testAsRoot("calendars run as Posthouse's user, without a network and other data", async () => {
  installFiles();
  const folder = join(paths.data, "calendars");
  mkdirSync(join(folder, "collections"), { recursive: true });
  await enableCompanion("calendar", paths, quiet);
  expectOwner(folder, "posthouse", 0o700);
  expect(readSettingsFile(paths.settings).POSTHOUSE_CALENDAR).toBe(`unix:${folder}/http.sock`);
  expect(readSettingsFile(paths.settings).POSTHOUSE_WEBMAIL).toBeUndefined();
  const text = readFileSync(unitOf("calendar"), "utf8");
  for (const line of [
    "User=posthouse",
    "PrivateNetwork=yes",
    `InaccessiblePaths=${paths.data}`,
    `BindPaths=${folder}:/run/posthouse-calendar/data`,
    "Environment=CALENDAR_DATA=/run/posthouse-calendar/data",
    `ExecStart=${program}/docker/calendar/start.sh`,
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(text).not.toContain("IPAddressAllow");
  expect(calls()).not.toContain("disable --quiet lighttpd.service");

  await disableCompanion("calendar", paths, quiet);
  expect(existsSync(unitOf("calendar"))).toBe(false);
  expect(readSettingsFile(paths.settings).POSTHOUSE_CALENDAR).toBe("");
  expect(existsSync(join(folder, "collections"))).toBe(true);
});

testAsRoot("an upgrade first installs what an enabled program needs since then", async () => {
  installFiles();
  await enableCompanion("calendar", paths, quiet);
  const settings = readSettingsFile(paths.settings);
  const installation = { settings, config: readConfig(settings), user: await serviceUser() };
  const before = [paths.command, paths.settings].map((file) => readFileSync(file, "utf8"));
  write(join(root, "bin/apt-get"), `#!/bin/sh\necho "$*" >> ${root}/apt\nexit 100\n`);
  chmodSync(join(root, "bin/apt-get"), 0o755);
  const needed = COMPANION_PACKAGES.calendar;
  needed.push({ "needed-since": join(root, "missing") });
  onTestFinished(() => {
    needed.pop();
  });
  await expect(putInPlace(paths, installation, quiet)).rejects.toThrow("apt-get");
  expect(readFileSync(join(root, "apt"), "utf8")).toMatch(/^install .* needed-since$/m);
  expect([paths.command, paths.settings].map((file) => readFileSync(file, "utf8"))).toEqual(before);
  expect(calls().at(-1)).toBe("restart posthouse-calendar.service");
});
