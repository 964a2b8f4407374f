import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

/** A stand-in for docker: logs its calls, and fails those that contain $FAILING. */
const DOCKER = `#!/bin/sh
[ "$1" != run ] || cat > "$LOG.settings"
echo "$* [$(grep -E '_IMAGE=' .env | paste -sd ' ')]" >> "$LOG"
case "$*" in
  *"compose ps --quiet posthouse"*) echo c1 ;;
  *"compose ps --quiet $COMPANION"*) echo c2 ;;
  *"{{.Image}}"*) echo sha256:0ld ;;
  *.Config.Env*) printf 'PATH=/bin\\nPOSTHOUSE_HOSTNAME=mail.example.com\\nPOSTHOUSE_URL=\\nDATABASE_URL=\\n' ;;
esac
case "$* $(cat .env)" in *"$FAILING"*) exit 1 ;; esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-compose-"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/docker"), DOCKER);
  chmodSync(join(folder, "bin/docker"), 0o755);
  copyFileSync(join(import.meta.dirname, "../../../docker/upgrade.sh"), join(folder, "upgrade.sh"));
  writeFileSync(join(folder, ".env"), "POSTHOUSE_HOSTNAME=mail.example.com\nPOSTHOUSE_IMAGE=old\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const log = () => readFileSync(join(folder, "log"), "utf8").trim().split("\n");
const upgrade = (failing: string, { companion = "none", image = "posthouse:2" } = {}) =>
  new Promise<number>((resolve) => {
    const env = {
      ...process.env,
      PATH: `${join(folder, "bin")}:${process.env.PATH ?? ""}`,
      LOG: join(folder, "log"),
      FAILING: failing,
      COMPANION: companion,
    };
    const child = execFile("sh", [join(folder, "upgrade.sh"), image], { env });
    child.once("exit", (code) => resolve(code!));
  });

test("copies the database with the new image beside the running container, then starts it", async () => {
  expect(await upgrade("nothing fails")).toBe(0);
  expect(readFileSync(join(folder, "log.settings"), "utf8")).toBe(
    "POSTHOUSE_HOSTNAME=mail.example.com\n",
  );
  const calls = log();
  expect(calls.find((line) => line.startsWith("run "))).toContain(
    "--pid container:c1 --network container:c1 --volumes-from c1 --env TINI_SUBREAPER=1 posthouse:2 upgrade --no-backup [POSTHOUSE_IMAGE=old]",
  );
  expect(calls).toContain(
    "compose up -d --no-build --wait --wait-timeout 300 [POSTHOUSE_IMAGE=posthouse:2]",
  );
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe(
    "POSTHOUSE_HOSTNAME=mail.example.com\nPOSTHOUSE_IMAGE=posthouse:2\n",
  );
});

test("changes nothing if the copy fails", async () => {
  expect(await upgrade("upgrade --no-backup")).toBe(1);
  expect(log().filter((line) => line.startsWith("compose up"))).toEqual([]);
});

test("returns to the previous image if the new one doesn't get healthy", async () => {
  expect(
    await upgrade(
      "--wait-timeout 300 POSTHOUSE_HOSTNAME=mail.example.com\nPOSTHOUSE_IMAGE=posthouse:2",
    ),
  ).toBe(1);
  const calls = log();
  expect(calls).toContain("tag sha256:0ld posthouse:before-upgrade [POSTHOUSE_IMAGE=old]");
  expect(calls.at(-1)).toBe(
    "compose up -d --no-build --wait --wait-timeout 300 [POSTHOUSE_IMAGE=posthouse:before-upgrade]",
  );
});

const WEBMAIL = "registry.example:5000/posthouse-webmail:2";
const upgradeBoth = (failing: string) =>
  upgrade(failing, { companion: "webmail", image: "registry.example:5000/posthouse:2" });
const settings = () => readFileSync(join(folder, ".env"), "utf8");

test("then upgrades webmail, if it runs", async () => {
  expect(await upgradeBoth("nothing fails")).toBe(0);
  expect(log()).toContain(
    `pull --quiet ${WEBMAIL} [POSTHOUSE_IMAGE=registry.example:5000/posthouse:2]`,
  );
  expect(log().at(-2)).toContain("up -d --no-build --wait --wait-timeout 300 webmail [");
  expect(settings()).toContain(`POSTHOUSE_WEBMAIL_IMAGE=${WEBMAIL}\n`);
  expect(settings()).not.toContain("CALENDAR");
});

test("keeps webmail as it is if its new image doesn't exist", async () => {
  expect(await upgradeBoth(WEBMAIL)).toBe(0);
  expect(settings()).not.toContain("WEBMAIL");
});

test("returns to webmail's previous image if the new one doesn't get healthy", async () => {
  const isNew = `POSTHOUSE_WEBMAIL_IMAGE=${WEBMAIL}`;
  expect(
    await upgradeBoth(
      `300 webmail POSTHOUSE_HOSTNAME=mail.example.com\nPOSTHOUSE_IMAGE=registry.example:5000/posthouse:2\n${isNew}`,
    ),
  ).toBe(0);
  expect(log()).toContainEqual(
    expect.stringMatching(/^tag sha256:0ld posthouse-webmail:before-upgrade /),
  );
  expect(settings()).toContain("POSTHOUSE_WEBMAIL_IMAGE=posthouse-webmail:before-upgrade\n");
});
