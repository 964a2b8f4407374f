import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { INDEX_FOLDER, INDEX_MARK } from "#server/gateways/mail-store.ts";

import { copyStores } from "./copy-mail.ts";
import { backupFolders } from "./layout.ts";

test("a copy of a mail store has no search indexes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-copy-"));
  const files = ["u.1", "dovecot.index.log", `${INDEX_FOLDER}/index.1/terms`];
  const messages = "sdbox/mailboxes/INBOX/dbox-Mails";
  for (const path of [INDEX_MARK, ...files.map((file) => join(messages, file))]) {
    const file = join(folder, "mail/example.com/ann", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "x");
  }
  expect(await copyStores(folder)).toEqual({ "example.com/ann": 1 });
  const copy = join(backupFolders(folder).mailCopy, "example.com/ann");
  expect(await readdir(copy)).toEqual(["sdbox"]);
  expect((await readdir(join(copy, messages))).sort()).toEqual(["dovecot.index.log", "u.1"]);
  await rm(folder, { recursive: true });
});
