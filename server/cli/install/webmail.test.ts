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

import { afterEach, expect, vi } from "vitest";

import { Display } from "#server/cli/display.mjs";
import { testIf } from "#server/testing/test-if.ts";

import { commandFile, installPaths } from "./installed-files.ts";
import { readSettingsFile } from "./settings-file.ts";
import { removeWebmail, webmailCommands } from "./webmail.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");
const root = mkdtempSync(join(tmpdir(), "posthouse-webmail-"));
const paths = installPaths(root);
const quiet = new Display(new PassThrough().resume() as unknown as NodeJS.WriteStream);

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

testAsRoot("webmail runs as its own user, and disabling it keeps its data", async () => {
  await expect(webmailCommands.enable(paths, quiet)).rejects.toThrow("COMPOSE_PROFILES=webmail");
  write(
    paths.settings,
    `POSTHOUSE_HOSTNAME=mail.example.com\nPORT=443\nPOSTHOUSE_DATA=${paths.data}\n`,
  );
  const program = join(import.meta.dirname, "../../..");
  write(
    paths.command,
    commandFile({ node: "node", program, settings: paths.settings, user: "posthouse" }),
  );
  for (const folder of [paths.systemd, dirname(paths.unit), paths.data])
    mkdirSync(folder, { recursive: true });
  // None of Debian's services is active.
  write(
    join(root, "bin/systemctl"),
    `#!/bin/sh\necho "$*" >> ${root}/calls\n[ "$1" != is-active ]\n`,
  );
  chmodSync(join(root, "bin/systemctl"), 0o755);
  // Users of its own: other tests run as this machine's service user meanwhile.
  for (const file of ["passwd", "group"]) write(join(root, "etc", file), "");
  for (const program of ["useradd", "usermod"])
    write(
      join(root, "bin", program),
      `#!/bin/sh\nexec /usr/sbin/${program} --prefix ${root} "$@"\n`,
    );
  write(join(root, "bin/getent"), `#!/bin/sh\nexec grep "^$2:" ${root}/etc/$1\n`);
  for (const program of ["useradd", "usermod", "getent"])
    chmodSync(join(root, "bin", program), 0o755);
  vi.stubEnv("PATH", `${root}/bin:${process.env.PATH!}`);

  await webmailCommands.enable(paths, quiet);
  const folder = join(paths.data, "webmail");
  const { uid, gid, mode } = statSync(folder);
  expect(mode & 0o7777).toBe(0o2770);
  expect(readFileSync(join(root, "etc/passwd"), "utf8")).toMatch(
    new RegExp(`^posthouse-webmail:[^:]*:${uid}:${gid}:`, "m"),
  );
  expect(readFileSync(join(root, "etc/group"), "utf8")).toContain(`:${gid}:posthouse\n`);
  expect(readSettingsFile(paths.settings).POSTHOUSE_WEBMAIL).toBe(`unix:${folder}/http.sock`);
  const unit = join(dirname(paths.unit), "posthouse-webmail.service");
  const text = readFileSync(unit, "utf8");
  expect(text).toContain(
    "Environment=POSTHOUSE_APPLIANCE=https://127.0.0.1:443\nEnvironment=POSTHOUSE_HOSTNAME=mail.example.com\n",
  );
  const start = /^ExecStart=(.+)$/m.exec(text)![1]!;
  expect(statSync(start).mode & 0o111).toBe(0o111);
  const calls = readFileSync(join(root, "calls"), "utf8").trim().split("\n");
  expect(calls).toEqual(
    expect.arrayContaining([
      "disable --quiet lighttpd.service",
      expect.stringMatching(/^disable --quiet php\d\.\d-fpm\.service$/),
      "enable --quiet posthouse-webmail.service",
      "restart posthouse-webmail.service",
    ]),
  );

  writeFileSync(join(folder, "roundcube.db"), "");
  await webmailCommands.disable(paths, quiet);
  expect(existsSync(unit)).toBe(false);
  expect(readSettingsFile(paths.settings).POSTHOUSE_WEBMAIL).toBe("");
  expect(existsSync(join(folder, "roundcube.db"))).toBe(true);
  // Nothing to remove.
  await removeWebmail(paths);
});
