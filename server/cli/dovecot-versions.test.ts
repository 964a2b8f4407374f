// cspell:ignore uidnext
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect } from "vitest";

import { storeCommand, storeConf } from "#server/gateways/dovecot.ts";
import { joinStreams } from "#server/gateways/host-link.ts";
import { type DovecotVersion, findDovecot } from "#server/gateways/find-dovecot.mjs";
import { testIf } from "#server/testing/test-if.ts";

import { hasDebian13, inDebian13 } from "./bootstrap/debian-13.mjs";
import { inRoot } from "./bootstrap/paths.mjs";

// Dovecot 2.3 of this system, and 2.4 of the system that `npm test -- --dovecot 2.4` creates, on the same mail stores.

/** A user that every Debian has, with its UID and GID. */
const USER = "mail";
const ID = 8;

const PIPE = inRoot("mail/moves/pipe.mjs");

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "posthouse-versions-"));
  for (const name of ["", "home", "home/sieve", "copy", "2.3", "2.4"]) {
    await mkdir(join(root, name), { recursive: true });
    await chown(join(root, name), ID, ID);
  }
  await writeFile(join(root, "home/sieve/own.sieve"), "keep;\n");
  await symlink("sieve/own.sieve", join(root, "home/.dovecot.sieve"));
  for (const version of ["2.3", "2.4"] as const)
    await writeFile(
      join(root, version, "dovecot.conf"),
      `${storeConf(version, { folder: join(root, version), user: USER })}mail_plugins ${version === "2.3" ? "= acl\nplugin {\n  acl = vfile\n}\n" : "{\n  acl = yes\n}\nacl_driver = vfile\n"}`,
    );
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The command that runs doveadm of one version on a store. */
function doveadm(
  version: DovecotVersion,
  home: string,
  command: string[],
  args: string[] = [],
): [string, ...string[]] {
  const conf = join(root, version, "dovecot.conf");
  const own = ["doveadm", ...storeCommand(version, { conf, command, args })];
  const asUser = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
  const all = [`HOME=${join(root, home)}`, `USER=${USER}`, ...asUser, ...own];
  return version === "2.3" ? ["env", ...all] : inDebian13(all);
}

async function run(
  version: DovecotVersion,
  ...[home, command, args]: [string, string[], string[]?]
) {
  const [program, ...all] = doveadm(version, home, command, args);
  const { stdout } = await promisify(execFile)(program, all, { cwd: "/" });
  return stdout;
}

/** Everything in a store: messages with UIDs, flags, dates and texts, folders, subscriptions, scripts and rights. */
async function contents(version: DovecotVersion, home = "home"): Promise<string> {
  const fields = "mailbox uid guid flags size.physical date.received text";
  return [
    await run(version, home, ["fetch"], [fields, "ALL"]),
    await run(version, home, ["mailbox", "status"], ["uidvalidity uidnext messages", "*"]),
    await run(version, home, ["mailbox", "list"], ["-s"]),
    await run(version, home, ["sieve", "list"]),
    await run(version, home, ["acl", "get"], ["INBOX"]),
  ].join("\n");
}

async function save(version: DovecotVersion, folder: string, subject: string): Promise<void> {
  const file = join(root, "message");
  await writeFile(file, `Subject: ${subject}\r\n\r\n${subject}\r\n`, { mode: 0o644 });
  await run(version, "home", ["save"], ["-m", folder, file]);
}

/** A change of each kind. */
async function change(version: DovecotVersion, name: string): Promise<void> {
  await run(version, "home", ["mailbox", "create"], ["-s", name]);
  for (const subject of ["One", "Two", "Three"]) await save(version, "INBOX", `${name} ${subject}`);
  await run(version, "home", ["flags", "add"], [`\\Flagged $${name}`, "mailbox", "INBOX", "1"]);
  await run(version, "home", ["move"], [name, "mailbox", "INBOX", "subject", `${name} Two`]);
  await run(version, "home", ["expunge"], ["mailbox", "INBOX", "subject", `${name} Three`]);
  await run(version, "home", ["acl", "set"], ["INBOX", `group=read:${name}`, "lookup", "read"]);
}

const { version: own } = await findDovecot();
const testBoth = testIf(
  own === "2.3" && hasDebian13(),
  "needs Dovecot 2.3, root, and `npm test -- --dovecot 2.4` to have run",
);

testBoth("both versions read and change the same mail store, in turn", async () => {
  await change("2.3", "Old");
  expect(await contents("2.4")).toBe(await contents("2.3"));
  await change("2.4", "New");
  const after = await contents("2.4");
  expect(await contents("2.3")).toBe(after);
  await change("2.3", "Back");
  expect(await contents("2.4")).toBe(await contents("2.3"));
  for (const text of ["Old One", "New Two", "Back One", "$New", "own ACTIVE", "group=read:Back"])
    expect(await contents("2.3")).toContain(text);
});

/** Runs dsync of 2.3 on one store, with dsync of 2.4 on another as its other end. */
async function dsync(how: string[], home: string, other: string): Promise<void> {
  const path = join(root, "dsync");
  const server = createServer((socket) => {
    const [program, ...args] = doveadm("2.4", other, ["dsync-server"]);
    const { stdout, stdin } = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    joinStreams(socket, Duplex.from({ readable: stdout, writable: stdin }));
  });
  server.listen(path);
  await once(server, "listening");
  await chown(path, ID, ID);
  try {
    await run("2.3", home, how, [process.execPath, PIPE, path]);
  } finally {
    server.close();
  }
}

testBoth("mail stores are copied between hosts of both versions", async () => {
  await change("2.3", "Old");
  await dsync(["backup"], "home", "copy");
  const withoutRights = (text: string) => text.replace(/^.*group=.*\n?/gm, "");
  const before = await contents("2.3");
  expect(withoutRights(await contents("2.4", "copy"))).toBe(withoutRights(before));
  await run("2.4", "copy", ["flags", "add"], ["\\Answered", "mailbox", "INBOX", "ALL"]);
  await dsync(["backup", "-R"], "home", "copy");
  expect(await contents("2.3")).toBe(await contents("2.4", "copy"));
  expect(await contents("2.3")).toContain("\\Answered");
});
