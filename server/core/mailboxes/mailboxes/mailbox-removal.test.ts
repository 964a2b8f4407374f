import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { mailHosts, removedStores } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { removeMailStores } from "./mailbox-removal.ts";

beforeEach(() => db().delete(removedStores));

async function aStore(store: string): Promise<string> {
  const folder = join(config().dataFolder, "mail", store);
  await mkdir(join(folder, "sdbox"), { recursive: true });
  await writeFile(join(folder, "sdbox/u.1"), "mail");
  return folder;
}

const listed = async () => (await db().select().from(removedStores)).map(({ store }) => store);

const remove = (store: string) =>
  db().insert(removedStores).values({ store, address: "ann@example.com" });

test("removes only the folder with its mail, then the row", async () => {
  const gone = await aStore("a.example/ann-00000001");
  const beside = await aStore("a.example/ann-00000002");
  await remove("a.example/ann-00000001");
  await remove("a.example/never-delivered-to");
  await removeMailStores(db());
  await expect(access(gone)).rejects.toThrow(/ENOENT/);
  await access(join(beside, "sdbox/u.1"));
  expect(await listed()).toEqual([]);
});

test("keeps a folder that a mailbox uses", async () => {
  const { store } = await aMailbox(await aDomain((await aCompany()).id));
  const folder = await aStore(store);
  await remove(store);
  await removeMailStores(db());
  await access(folder);
});

test.each([
  "../keys",
  "a.example",
  "a.example/",
  "a.example/..",
  "/etc",
  "a/b/c",
  "",
  "./x",
  "a/.x",
])("rejects the folder %j, keeps its row and removes the others", async (store) => {
  await aStore("a.example/ann");
  await remove(store);
  await expect(removeMailStores(db())).rejects.toThrow("is not the folder of a mailbox");
  await access(join(config().dataFolder, "mail/a.example/ann"));
  expect(await listed()).toEqual([store]);
});

test("removes what its own host stores, also if the mailbox is on another host now", async () => {
  for (const name of ["mail-1", "mail-2"])
    await db().insert(mailHosts).values({ name, address: "127.0.0.1", certificate: "PEM" });
  const domain = await aDomain((await aCompany()).id);
  const { store } = await aMailbox(domain, { storeHost: "mail-2" });
  const folder = await aStore(store);
  for (const storeHost of ["mail-1", "mail-2"])
    await db().insert(removedStores).values({ store, address: "ann@example.com", storeHost });
  await removeMailStores(db(), "mail-1");
  await db()
    .update(removedStores)
    .set({ createdAt: sql`clock_timestamp() - interval '1 minute'` });
  await removeMailStores(db());
  await removeMailStores(db(), "mail-2");
  await access(folder);
  await removeMailStores(db(), "mail-1");
  await expect(access(folder)).rejects.toThrow(/ENOENT/);
  expect(await db().select().from(removedStores)).toMatchObject([{ storeHost: "mail-2" }]);
});
