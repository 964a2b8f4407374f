import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { addresses } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aGroup } from "#server/testing/factories.ts";

import { changeAccess } from "./group-access.ts";
import { createGroup, deleteGroup, updateGroup } from "./groups.ts";

// A mail server that never responds.
const silent = createServer();

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "ph-hung-"));
  config().dataFolder = folder;
  for (const name of ["keys", "dovecot/run"]) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, "keys/dovecot-api.key"), "key");
  silent.listen(join(folder, "dovecot/run/http"));
  await once(silent, "listening");
  afterAll(async () => {
    silent.closeAllConnections();
    silent.close();
    await rm(folder, { recursive: true });
  });
});

test.each(["createGroup", "updateGroup", "changeAccess", "deleteGroup"] as const)(
  "%s holds no lock while it waits for the mail server",
  async (verb) => {
    const { id } = await aCompany();
    const ctx = aContext(id);
    const domain = await aDomain(id);
    const { address } = await aGroup(domain);
    const asked = once(silent, "request");
    const change = {
      createGroup: () => createGroup(ctx, { address: `new@${domain.name}`, name: "", members: [] }),
      updateGroup: () => updateGroup(ctx, address, { name: "New" }),
      changeAccess: () => changeAccess(ctx, address, { active: false }),
      deleteGroup: () => deleteGroup(ctx, address),
    }[verb]();
    const outcome = change.catch((error: unknown) => error);
    await asked;

    await db()
      .transaction(async (tx) => {
        await tx.execute("set local lock_timeout = '1s'");
        await tx.select().from(addresses).for("update", { noWait: true });
        const taken = { address: `new@${domain.name}`, companyId: id, domainId: domain.id };
        await tx.insert(addresses).values({ ...taken, kind: "group" });
        tx.rollback();
      })
      .catch((error: unknown) => expect(error).toMatchObject({ message: "Rollback" }));

    silent.closeAllConnections();
    expect(await outcome).toMatchObject({ reason: "mail_server_error" });
  },
);
