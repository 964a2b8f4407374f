import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { dovecotAdmin } from "#server/gateways/dovecot.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

/** Delivers a message, reads it and runs doveadm. Returns the folder with Dovecot's sockets. */
async function useDovecotIn(folder: string, parentMode?: number): Promise<string> {
  const mailbox = await aMailbox(await aDomain((await aCompany()).id));
  const [host, own] = mailbox.store.split("/");
  const dovecot = await aDovecot({ folder, parentMode });
  try {
    expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
    const app = await signIn(dovecot.imap, mailbox.address);
    expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
    expect(await dovecotAdmin(dovecot.dataFolder).who()).toEqual([
      { username: mailbox.address, service: "imap", connections: 1 },
    ]);
    app.close();
    expect(await readdir(join(dovecot.dataFolder, "mail", host!))).toEqual([own]);
    const run = join(dovecot.dataFolder, "dovecot/run");
    return (await lstat(run)).isSymbolicLink() ? await readlink(run) : run;
  } finally {
    await dovecot.stop();
  }
}

test("the data folder can have any name", async () => {
  await useDovecotIn(`we ird "q" it's #x %d $y \\ é`);
});

test("a data folder whose path is too long for sockets works and leaves no files outside it", async () => {
  const sockets = await useDovecotIn(Array<string>(12).fill("deep-folder").join("/"));
  expect(sockets).toMatch(/^\/(run|tmp)\/posthouse-/);
  await expect(readdir(sockets)).rejects.toThrow("ENOENT");
});

test("a data folder inside a folder that other users can't read works", async () => {
  await useDovecotIn("data", 0o700);
});
