import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { mailboxes, mailHosts, signInAttempts } from "#drizzle/schema/index.ts";
import { db, pool } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

import { userQueries } from "./sql-conf.ts";

/** A query of the configuration as Dovecot would send it for a user name. */
function query(
  name: "password" | "user",
  user: string,
  { host, masterUser = "" }: { host?: string; masterUser?: string } = {},
): string {
  const queries = userQueries({
    version: "2.4",
    hasSearch: true,
    baseUrl: "http://localhost",
    dataFolder: "/data",
    ports: { imaps: 993, pop3s: 995, sieve: 4190 },
    policy: { port: 0, key: "", id: "server" },
    mailHost: host
      ? { name: host, address: "10.0.0.1", peers: [], certificate: { certificate: "", key: "" } }
      : null,
  });
  const [local = "", domain = ""] = user.split("@");
  return queries[name]
    .replaceAll("%{user}", user)
    .replaceAll("%{session}", user)
    .replaceAll("%{master_user}", masterUser)
    .replaceAll("%{user | username}", local)
    .replaceAll("%{user | domain}", domain);
}

/** As the policy server does it, with the name as the session. */
const attempt = (name: string, changes: Partial<typeof signInAttempts.$inferInsert> = {}) =>
  db()
    .insert(signInAttempts)
    .values({ email: name, source: "192.0.2.1", checkKey: `server/${name}`, ...changes });

test.each(["password", "user"] as const)(
  "the %s query finds no row for an unknown name, and fails for an empty name",
  async (name) => {
    await attempt("nobody@example.com");
    expect(await pool().sql.unsafe(query(name, "nobody@example.com"))).toEqual([]);
    await expect(pool().sql.unsafe(query(name, ""))).rejects.toThrow("division by zero");
  },
);

test("the password query fails unless the policy server has just counted the attempt", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const ask = () => pool().sql.unsafe(query("password", address));
  await expect(ask()).rejects.toThrow("division by zero");
  await attempt(address, { checkKey: `another server/${address}` });
  await attempt(address, { createdAt: new Date(Date.now() - 25_000).toISOString() });
  await expect(ask()).rejects.toThrow("division by zero");
  await attempt(address);
  expect(await ask()).toMatchObject([
    { user: address, login_credential: "main", nopassword: null },
  ]);
  await attempt(address, { credential: "app:1" });
  expect(await ask()).toMatchObject([
    { login_credential: "app:1", password: null, nopassword: "y" },
  ]);
});

test("a mail host sends users of other hosts there, and accepts no mail for them", async () => {
  const domain = await aDomain((await aCompany()).id);
  for (const [at, name] of ["mail-1", "mail-2"].entries())
    await db()
      .insert(mailHosts)
      .values({ name, address: `10.0.0.${at + 1}`, certificate: "PEM" });
  const { address } = await aMailbox(domain, { storeHost: "mail-2" });
  await attempt(address);
  const ask = (name: "password" | "user", host: string, protocol: string) =>
    pool().sql.unsafe(query(name, address, { host }).replaceAll("%{protocol}", protocol));
  expect(await ask("password", "mail-1", "imap")).toMatchObject([
    { proxy_maybe: "y", hostip: "10.0.0.2", port: 993, ssl: "yes", starttls: null },
  ]);
  expect(await ask("password", "mail-1", "sieve")).toMatchObject([
    { port: 4190, ssl: null, starttls: "yes" },
  ]);
  await expect(ask("user", "mail-1", "lmtp")).rejects.toThrow("division by zero");

  expect(await ask("password", "mail-2", "imap")).toMatchObject([{ proxy_maybe: null }]);
  expect(await ask("user", "mail-2", "lmtp")).toMatchObject([{ user: address }]);
  await suspend(address);
  expect(await ask("password", "mail-1", "imap")).toMatchObject([
    { nologin: "y", proxy_maybe: null },
  ]);
});

test("the master user opens only the mailbox with exactly that address", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { address } = await aMailbox(domain);
  const alias = await anAlias(domain, address);
  await anAlias(domain, address, `*@${domain.name}`);
  const find = (user: string, masterUser: string) =>
    pool().sql.unsafe(query("user", user, { masterUser }));
  const own = [{ user: address }];
  for (const user of [alias, address.replace("@", "+tag@"), `deleted@${domain.name}`]) {
    expect(await find(user, "")).toMatchObject(own);
    expect(await find(user, "posthouse")).toEqual([]);
  }
  expect(await find(address, "posthouse")).toMatchObject(own);
});

const suspend = (address: string) =>
  db()
    .update(mailboxes)
    .set({ suspendedAt: new Date().toISOString() })
    .where(eq(mailboxes.address, address));
