import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, expect, test } from "vitest";

import { makeOwn } from "#server/backup/prepare.ts";
import { writeUpgrade } from "./start/rollback.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { readOrCreateSecret } from "#server/core/shared/secrets/instance-key.ts";

import { lockFile } from "#server/processes/run-lock.ts";
import {
  createFolder,
  giveTo,
  readNoFollow,
  removeFile,
  removeTree,
  rename,
} from "#server/processes/open-no-follow.ts";
import { createPrivateFile, replacePrivateFile } from "#server/processes/private-file.ts";
import { serviceUser } from "#server/processes/service-user.ts";

const testAsRoot = test.runIf(process.getuid!() === 0);

let root: string;
/** A data folder of the service user, and a folder of root that nothing may change. */
let data: string;
let outside: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "posthouse-no-follow-"));
  chmodSync(root, 0o755);
  data = join(root, "data");
  outside = join(root, "outside");
  for (const folder of [data, outside, join(outside, "sub")]) mkdirSync(folder);
  writeFileSync(join(outside, "file"), "root's");
  writeFileSync(join(outside, "sub/file"), "root's");
  const { uid, gid } = await serviceUser();
  chownSync(data, uid, gid);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What is in a folder, with owners. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { uid, mode, size } = lstatSync(join(folder, name));
      return `${name} ${uid} ${mode.toString(8)} ${size}`;
    });
}

/**
 * Repeats Perl statements as the service user during the work. A shell would start a program for each change, and make
 * a hundredth as many; `$outside` is the folder that nothing may change.
 */
async function underAttack(statements: string, work: () => Promise<void>) {
  const { uid, gid } = await serviceUser();
  const script = `my $outside = shift; while (1) { ${statements} }`;
  const child = spawn("perl", ["-e", script, outside], { uid, gid, cwd: data, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await work();
  child.kill("SIGKILL");
  await ended;
}

async function link(name: string, target: string) {
  symlinkSync(target, join(data, name));
  const { uid, gid } = await serviceUser();
  lchownSync(join(data, name), uid, gid);
}

testAsRoot("createFolder gives nothing away while the folder is replaced by a link", async () => {
  const attack = `
    if (-d "new" && !-l "new") {
      rename "new", "old" and symlink $outside, "new";
      rmdir for "old/deeper", "old";
    }
    unlink "new";`;
  const before = [stateOf(outside), lstatSync(outside).uid];
  const owner = await serviceUser();
  await underAttack(attack, async () => {
    // Without protection, about one attempt in a hundred has an effect outside.
    for (let attempt = 0; attempt < 1_000; attempt++) {
      await sleep(1);
      try {
        createFolder(join(data, "new/deeper"), { owner });
      } catch {
        // It found the link.
      }
    }
  });
  expect([stateOf(outside), lstatSync(outside).uid]).toEqual(before);
});

testAsRoot.each<[string, (folder: string) => unknown]>([
  ["makeOwn", (folder) => makeOwn(join(folder, "sub/new"))],
  ["createFolder", (folder) => createFolder(join(folder, "new"))],
  ["createPrivateFile", (folder) => createPrivateFile(join(folder, "new"), "text")],
  ["replacePrivateFile", (folder) => replacePrivateFile(join(folder, "file"), "text")],
  ["readOrCreateSecret", (folder) => readOrCreateSecret(join(folder, "secret"))],
  ["removeFile", (folder) => removeFile(join(folder, "file"))],
  ["removeTree", (folder) => removeTree(join(folder, "sub"))],
  ["giveTo", async (folder) => giveTo(await serviceUser(), join(folder, "file"))],
  ["rename", (folder) => rename(join(folder, "file"), join(folder, "other"))],
  ["readNoFollow", (folder) => readNoFollow(join(folder, "file"))],
  ["lockFile", (folder) => lockFile(join(folder, "lock"), { waitMs: 0 })],
  [
    "writeUpgrade",
    (folder) => writeUpgrade(folder, { from: 1, to: 2, postgres: 17, startedAt: "" }),
  ],
  [
    "loadSelfSigned",
    (dataFolder) => loadSelfSigned({ dataFolder, hostname: "a.test", now: new Date() }),
  ],
])("%s refuses a folder that the service user linked", async (_, work) => {
  await link("keys", outside);
  const before = stateOf(outside);
  for (const folder of ["keys", "keys/sub"]) {
    const done = Promise.resolve().then(() => work(join(data, folder)));
    await expect(done).rejects.toThrow("is a symbolic link");
  }
  expect(stateOf(outside)).toEqual(before);
});

testAsRoot("files that are links stay what they are", async () => {
  await link("file", join(outside, "file"));
  await link("folder", outside);
  const file = join(data, "file");
  expect(() => readNoFollow(file)).toThrow("is a symbolic link");
  expect(() => createPrivateFile(file, "text")).toThrow("EEXIST");
  await expect(makeOwn(join(data, "folder"))).rejects.toThrow("is a symbolic link");
  const before = stateOf(outside);
  giveTo(await serviceUser(), file, join(data, "folder"));
  replacePrivateFile(file, "text");
  expect(lstatSync(file)).toMatchObject({ uid: (await serviceUser()).uid, size: 4 });
  await removeTree(join(data, "folder"));
  expect(existsSync(join(data, "folder"))).toBe(false);
  expect(stateOf(outside)).toEqual(before);
});

testAsRoot("removeTree deletes nothing elsewhere while folders are replaced by links", async () => {
  const attack = `
    mkdir for "tree", "tree/a", "tree/a/b", "tree/c";
    open my $file, ">", "tree/a/$_" for "file", "sub";
    rename "tree/a", "tree/old" and symlink $outside, "tree/a";
    unlink "tree/old/file", "tree/old/sub";
    rmdir "tree/old/b";
    rmdir "tree/old" or unlink "tree/old";`;
  const before = stateOf(outside);
  await underAttack(attack, async () => {
    for (let attempt = 0; attempt < 100; attempt++)
      await removeTree(join(data, "tree")).catch(() => {});
  });
  expect(stateOf(outside)).toEqual(before);
});

testAsRoot("follows links of root, such as those to another disk", async () => {
  mkdirSync(join(root, "disk"));
  symlinkSync("../disk", join(root, "data/mail"));
  await makeOwn(join(data, "mail/new"));
  expect(lstatSync(join(root, "disk/new")).uid).toBe((await serviceUser()).uid);
});

/**
 * The files that change files by path, and why root can't be led astray there. Anything else goes through
 * open-no-follow.ts and private-file.ts.
 */
const BY_PATH: Record<string, string[]> = {
  "never runs as root": [
    "mail/",
    "worker/",
    "server/web/",
    "server/gateways/calendar-store.ts",
    "server/gateways/mail-store.ts",
    "server/backup/",
    "server/core/operations/backups/stored-changes.ts",
  ],
  "paths that the operator chose": ["server/cli/export/", "server/cli/imports/"],
  "folders of root, such as /etc and the program": [
    "server/cli/install/",
    "server/cli/bootstrap/",
    "server/postgres/binaries.ts",
    "server/cli/test-server/test-folder.ts",
  ],
  "open files and the data folder itself": [
    "server/processes/open-no-follow.ts",
    "server/processes/private-file.ts",
  ],
};
/** Within those folders: run by root in the data folder. */
const NOT_BY_PATH = [
  ...["prepare", "restic", "restore", "read-store"].map((name) => `server/backup/${name}.ts`),
  ...["data-folder", "service-manager", "report-result"].map(
    (name) => `server/cli/install/${name}.ts`,
  ),
];
const CHANGES =
  /^(l?ch(own|mod)|rm|rmdir|unlink|mkdir|mkdtemp|writeFile|appendFile|rename|cp|copyFile|link|symlink|truncate|l?utimes|open|createWriteStream)(Sync)?$/;

test("mail/ never changes a file's owner by path", () => {
  const folder = join(import.meta.dirname, "../../mail");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
    .filter((name) => /\bl?chown(Sync)?\(/.test(readFileSync(join(folder, name), "utf8")));
  expect(sources).toEqual([]);
});

test("root changes files of the data folder only in ways that follow no links", () => {
  const repository = join(import.meta.dirname, "../..");
  const allowed = Object.values(BY_PATH).flat();
  const found = ["server", "mail", "worker"].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((file) => /\.(ts|mjs)$/.test(file) && !/\.test\.|^server\/testing\//.test(file))
      .filter((file) => changesByPath(readFileSync(join(repository, file), "utf8"))),
  );
  const isAllowed = (file: string) =>
    allowed.some((start) => file.startsWith(start)) && !NOT_BY_PATH.includes(file);
  expect(found.filter((file) => !isAllowed(file))).toEqual([]);
  const isUsed = (start: string) => found.some((file) => file.startsWith(start));
  expect(allowed.filter((start) => !isUsed(start) && !start.endsWith("/"))).toEqual([]);
  for (const file of NOT_BY_PATH) expect(existsSync(join(repository, file)), file).toBe(true);
});

function changesByPath(source: string): boolean {
  const imports = [...source.matchAll(/import\s+([^;]*?)\s+from "node:fs(?:\/promises)?"/g)];
  return imports.some(([, names]) =>
    names!.startsWith("{")
      ? names!.split(/[{},]/).some((name) => CHANGES.test(name.trim().split(" as ")[0]!))
      : !names!.startsWith("type"),
  );
}
