import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import {
  hold,
  holdRestored,
  release,
  releaseRestored,
} from "#server/core/operations/queue/holds.ts";
import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { findObstacle } from "./self-check.ts";

const operator = { db: db(), now: () => new Date(), email: "op@example.test" };

test("finds no obstacle on a new appliance", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  expect(await findObstacle(db(), sandbox)).toBeNull();
});

test("names the hold of a restore", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  const [domain] = await db().select().from(domains).where(eq(domains.name, sandbox.domain));
  await queuedEmails(domain!, [["ann@there.test"]]);
  await holdRestored(db(), new Date().toISOString());
  expect(await findObstacle(db(), sandbox)).toContain("on hold");
  await releaseRestored(db());
  expect(await findObstacle(db(), sandbox)).toBeNull();
});

test("names a hold of the sandbox's domain as a destination", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  const subject = { kind: "destination" as const, subject: sandbox.domain };
  await hold(operator, { ...subject, reason: "" });
  expect(await findObstacle(db(), sandbox)).toContain("on hold");
  await release(operator, subject);
});
