import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { companies, people, systemChecks } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { ensureSetupToken } from "#server/core/operations/companies/set-up.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { sessionsConsole } from "#server/resources/sessions.ts";
import { setUpConsole } from "./set-up.ts";

let token: string;

// The first run is a state of the whole instance, so this file has its own database.
beforeEach(async () => {
  await db().delete(companies);
  await db().delete(systemChecks);
  token = ensureSetupToken(config().dataFolder);
});

const bodyWith = (overrides: Record<string, unknown> = {}, owner: Record<string, string> = {}) => ({
  token,
  companyName: "Example Ltd",
  owner: { name: "Ann Lee", email: "ann@example.com", password: "correct horse battery", ...owner },
  ...overrides,
});

const post = (body: unknown) =>
  call(setUpConsole.setUp, { body, headers: { "sec-fetch-site": "same-origin" } });

const look = (token: string) =>
  call(setUpConsole.getSetUp, { body: { token }, headers: { "sec-fetch-site": "same-origin" } });

async function stateFor(tokenGiven: string) {
  const { body }: { body: unknown } = await look(tokenGiven);
  return (body as { state: string }).state;
}

test("the token creates one company with a signed-in owner, then setup is closed", async () => {
  expect(await stateFor(token)).toBe("open");
  const answered = await post(bodyWith());
  expect(answered.status).toBe(200);
  const cookie = answered.headers.get("set-cookie")!.split(";")[0]!;
  expect((await call(sessionsConsole.getMe, { cookie })).body).toMatchObject({
    email: "ann@example.com",
    isOwner: true,
    company: { name: "Example Ltd" },
  });

  expect(await stateFor(token)).toBe("finished");
  expect(await post(bodyWith())).toMatchObject({ status: 409, body: { name: "already_exists" } });
});

test("rejects setup without the token", async () => {
  expect(await stateFor("")).toBe("token_needed");
  expect(await stateFor(`${token}x`)).toBe("token_needed");
  const answered = await post(bodyWith({ token: "x".repeat(32) }));
  expect(answered).toMatchObject({ status: 403, body: { name: "wrong_setup_token" } });
  expect(await db().select().from(companies)).toEqual([]);
});

test("shows the server and starts its checks only with the token", async () => {
  const serverFor = async (tokenGiven: string) => {
    const { body }: { body: unknown } = await look(tokenGiven);
    return (body as { server: unknown }).server;
  };
  expect(await serverFor(`${token}x`)).toBeNull();
  expect(await db().select().from(systemChecks)).toEqual([]);
  expect(await serverFor(token)).toMatchObject({
    hostname: "posthouse.localhost",
    isLocal: true,
  });
  expect(await db().select().from(systemChecks)).not.toEqual([]);
});

test("concurrent requests create one company", async () => {
  // Opens all connections first, so that no request is late.
  await Promise.all(Array.from({ length: 10 }, () => db().execute("select pg_sleep(0.05)")));
  const bodies = Array.from({ length: 12 }, () =>
    bodyWith({}, { email: `${randomUUID()}@example.com` }),
  );
  const statuses = (await Promise.all(bodies.map(post))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(await db().select().from(companies)).toHaveLength(1);
});

test.each([
  ["owner.password", {}, { password: "too short" }],
  ["owner.password", {}, { password: "ann@example.com" }],
  ["owner.email", {}, { email: "ann" }],
  ["owner.name", {}, { name: " " }],
  ["companyName", { companyName: "" }, {}],
])("rejects an invalid %s and names it", async (field, overrides, owner) => {
  const answered = await post(bodyWith(overrides, owner));
  expect(answered).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(new RegExp(`^${field}: `)) as string },
  });
  expect(await db().select().from(companies)).toEqual([]);
});

test("rejects cross-site setup", async () => {
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  expect(await call(setUpConsole.setUp, { body: bodyWith(), headers })).toMatchObject({
    body: { name: "cross_origin" },
  });
});

test("the sandbox counts as set up only while its owner can sign in", async () => {
  const sandbox = await aCompany({ purpose: "sandbox" });
  const owner = await anAdmin(sandbox.id, { isOwner: true });
  expect(await stateFor(token)).toBe("open");
  await db()
    .update(people)
    .set({ passwordHash: "$argon2id$" })
    .where(eq(people.email, owner.email));
  expect(await stateFor(token)).toBe("finished");
});
