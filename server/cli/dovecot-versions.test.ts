// cspell:ignore uidnext
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { promisify } from "node:util";

import { isNotNull, sql } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { afterEach, beforeEach, expect, vi } from "vitest";

import { mailboxMoves, removedStores } from "#drizzle/schema/index.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { db } from "#server/db/pool.ts";
import { storeCommand, storeConf } from "#server/gateways/dovecot.ts";
import { joinStreams } from "#server/gateways/host-link.ts";
import { type DovecotVersion, findDovecot } from "#server/gateways/find-dovecot.mjs";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { putScript, signIn } from "#server/testing/mail-app.ts";
import { type MailHostProcess, separateHosts } from "#server/testing/mail-hosts.ts";
import { mailboxContent } from "#server/testing/mailbox-content.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { applianceEnv, aReadyAppliance, startAppliance } from "#server/testing/start-appliance.ts";
import { testIf } from "#server/testing/test-if.ts";

import { hasDebian13, inDebian13 } from "./bootstrap/debian-13.mjs";
import { inRoot } from "./bootstrap/paths.mjs";

// Dovecot 2.3 of this system, and 2.4 of the system that `npm test -- --dovecot 2.4` creates, on the same mail stores.

vi.setConfig({ testTimeout: 240_000 });

/** A user that every Debian has, with its UID and GID. */
const USER = "mail";
const ID = 8;

const YOU = "you@posthouse.localhost";
const PIPE = inRoot("mail/moves/pipe.mjs");

const PLUGINS = {
  "2.3": `mail_plugins = acl quota
plugin {
  acl = vfile
  quota = count:User quota
  quota_vsizes = yes
}
`,
  "2.4": `mail_plugins {
  acl = yes
  quota = yes
}
acl_driver = vfile
quota "User quota" {
}
`,
};

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
      storeConf(version, { folder: join(root, version), user: USER }) + PLUGINS[version],
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

/** Everything in a store: messages with UIDs, flags, dates and texts, folders, subscriptions, usage, scripts and rights. */
async function contents(version: DovecotVersion, home = "home"): Promise<string> {
  const fields = "mailbox uid guid flags size.physical date.received text";
  return [
    await run(version, home, ["fetch"], [fields, "ALL"]),
    await run(version, home, ["mailbox", "status"], ["uidvalidity uidnext messages", "*"]),
    await run(version, home, ["mailbox", "list"], ["-s"]),
    await run(version, home, ["quota", "get"]),
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

const openStore = (port: number, address: string, options: { host?: string; password?: string }) =>
  signIn(port, address, { secure: true, tls: { rejectUnauthorized: false }, ...options });

/** What a mail app sees: folders, subscriptions, and messages with UIDs and flags. */
async function seen(app: ImapFlow) {
  const folders = await app.list();
  const subscribed = folders.filter((folder) => folder.subscribed).map(({ path }) => path);
  return { messages: await mailboxContent(app), subscribed };
}

/** A change of each kind. */
async function use(app: ImapFlow, name: string): Promise<void> {
  await app.mailboxCreate(name);
  await app.mailboxSubscribe(name);
  for (const folder of ["INBOX", "INBOX", name])
    await app.append(folder, `Subject: ${name}\r\n\r\n${"Hello.\r\n".repeat(500)}`, ["$Read"]);
  await app.mailboxOpen("INBOX");
  await app.messageFlagsAdd("1:*", ["\\Flagged", `$${name}`]);
  await app.messageDelete("1");
}

/** The numbers and permanent IDs of a mailbox's messages over POP3, through the host with this address. */
async function seenByPop3(port: number, host: string, address: string): Promise<string[]> {
  const socket = connect({ port, host, rejectUnauthorized: false });
  socket.write(`USER ${address}\r\nPASS test password\r\nUIDL\r\nQUIT\r\n`);
  return (await text(socket)).match(/^\d+ \w{16}\r$/gm) ?? [];
}

testBoth("hosts of both versions serve and move each other's mailboxes", async () => {
  const hosts = await separateHosts();
  try {
    const older = await hosts.startMailHost();
    const newer = await hosts.startMailHost(undefined, inDebian13([]));
    const domain = await aDomain((await aCompany()).id);
    const { address } = await aMailbox(domain, { storeHost: older.name });
    const open = (host: MailHostProcess) =>
      openStore(hosts.port("IMAPS_PORT"), address, { host: host.name });
    const pop3 = (host: MailHostProcess) =>
      seenByPop3(hosts.port("POP3S_PORT"), host.name, address);
    const script = (host: MailHostProcess) =>
      putScript(hosts.port("SIEVE_PORT"), address, "keep;\n", host.name);
    // It notices the other one within seconds.
    await vi.waitFor(async () => (await open(newer)).logout(), { timeout: 60_000 });
    for (const [from, to] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const app = await open(to);
      await use(app, from === older ? "Old" : "New");
      const before = await seen(app);
      const messages = await pop3(to);
      expect(messages).toHaveLength(before.messages.INBOX!.length);
      await script(to);
      const closed = once(app, "close");
      expect(await kickMailApps(db(), address)).toBe(1);
      await closed;
      await moved(address, to.name);
      for (const host of [from, to]) {
        const after = await open(host);
        expect(await seen(after)).toEqual(before);
        await after.logout();
        expect(await pop3(host)).toEqual(messages);
        await script(host);
      }
    }
  } finally {
    await hosts.stop();
  }
});

/** Moves a mailbox, and deletes the old copy without the usual delay. */
async function moved(address: string, host: string): Promise<void> {
  await requestMove({ db: db(), actor: { kind: "system", task: "test" } }, address, host);
  await vi.waitFor(
    async () => {
      const long = sql`clock_timestamp() - interval '1 hour'`;
      await db()
        .update(mailboxMoves)
        .set({ switchedAt: long })
        .where(isNotNull(mailboxMoves.copiedAt));
      await db().update(removedStores).set({ createdAt: long });
      const left = [await db().$count(mailboxMoves), await db().$count(removedStores)];
      expect(left).toEqual([0, 0]);
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** Gives a folder to the service user of a system, whose ID may be another one. */
async function giveToService(launcher: string[], folder: string): Promise<void> {
  const script = 'id posthouse || useradd --system posthouse; chown -R posthouse: "$1"';
  const [program, ...args] = [...launcher, "sh", "-c", script, "sh", folder];
  await promisify(execFile)(program, args);
}

testBoth("a mail host is upgraded to 2.4 and goes back, with the same mailboxes", async () => {
  const hosts = await separateHosts();
  try {
    let host = await hosts.startMailHost();
    const domain = await aDomain((await aCompany()).id);
    const { address } = await aMailbox(domain, { storeHost: host.name });
    const open = () => openStore(hosts.port("IMAPS_PORT"), address, { host: host.name });
    for (const [name, launcher] of [
      ["Old", inDebian13([])],
      ["New", []],
    ] as const) {
      const app = await open();
      await use(app, name);
      const before = [await seen(app), await app.getQuota("INBOX")];
      await app.logout();
      host.child.kill("SIGTERM");
      await once(host.child, "exit");
      await giveToService([...launcher], host.dataFolder);
      host = await hosts.startMailHost(host, [...launcher]);
      const after = await open();
      expect([await seen(after), await after.getQuota("INBOX")]).toEqual(before);
      await after.logout();
    }
  } finally {
    await hosts.stop();
  }
});

/** The quota without self-check messages: each start deletes the previous one. */
async function quota(app: ImapFlow) {
  await app.mailboxOpen("INBOX");
  await app.messageDelete({ subject: "Self-check" });
  return app.getQuota("INBOX");
}

testBoth("a backup made with one version is restored with the other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-versions-"));
  const debian13 = inDebian13([]);
  let env = await applianceEnv(join(folder, "data"));
  let appliance = await aReadyAppliance(env);
  const { password } = appliance.secrets();
  const open = () => openStore(Number(env.IMAPS_PORT), YOU, { password });
  try {
    for (const [name, from, to] of [
      ["Old", [], debian13],
      ["New", debian13, []],
    ] as const) {
      const app = await open();
      await use(app, name);
      const before = [await seen(app), await quota(app)];
      await app.logout();
      const repository = join(folder, name);
      const backup = await runPosthouse(["backup", "--to", repository, "--json"], env, [...from]);
      expect(backup, backup.stderr).toMatchObject({ code: 0 });
      const { recoveryKey } = JSON.parse(backup.stdout) as { recoveryKey: string };
      await appliance.stop();
      env = {
        ...env,
        POSTHOUSE_DATA: join(folder, `data-${name}`),
        POSTHOUSE_BACKUP_KEY: recoveryKey,
      };
      const restore = await runPosthouse(["restore", "--from", repository], env, [...to]);
      expect(restore, restore.stderr).toMatchObject({ code: 0 });
      const start = [process.execPath, inRoot("server/cli/posthouse.mjs"), "start"] as const;
      appliance = startAppliance(env, to.length > 0 ? inDebian13([...start]) : [...start]);
      await appliance.says("Posthouse is ready");
      const after = await open();
      expect([await seen(after), await quota(after)]).toEqual(before);
      await after.logout();
    }
  } finally {
    await appliance.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
