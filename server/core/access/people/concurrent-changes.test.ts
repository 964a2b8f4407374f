import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { sessions } from "#drizzle/schema/index.ts";
import { renewSession } from "#server/core/access/sessions/console-sessions.ts";
import { endSession, findSignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { changeOwnPassword, setPersonPassword } from "./person-passwords.ts";
import { findPerson } from "./people.ts";
import { completeSignIn } from "./person-sign-in.ts";

const PASSWORD = "correct horse battery";
const origin = { clientAddress: "192.0.2.7" };
const sessionsOf = (adminId: string) => db().$count(sessions, eq(sessions.userId, adminId));

async function aPerson() {
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  return anAdmin((await aCompany()).id, { passwordHash });
}

async function signedInAs(adminId: string) {
  const cookie = (await startSession(db(), adminId)).split(";")[0]!;
  return (await findSignedIn(db(), cookie))!;
}

test("starts no session if the password changes during the sign-in", async () => {
  const { email, id } = await aPerson();
  const person = (await findPerson(db(), email))!;
  await db().transaction((tx) =>
    setPersonPassword(tx, email, { passwordHash: "other", by: "link" }),
  );

  await expect(completeSignIn(db(), person, { by: "password", origin })).rejects.toMatchObject({
    reason: "wrong_credentials",
  });
  expect(await sessionsOf(id)).toBe(0);
  const again = (await findPerson(db(), email))!;
  await completeSignIn(db(), again, { by: "password", origin });
  expect(await sessionsOf(id)).toBe(1);
});

test("doesn't renew a session that has ended meanwhile", async () => {
  const { id } = await aPerson();
  const signedIn = await signedInAs(id);
  await endSession(db(), signedIn.sessionId);

  await expect(renewSession(db(), signedIn, origin)).rejects.toMatchObject({
    reason: "not_signed_in",
  });
  expect(await sessionsOf(id)).toBe(0);
});

test("applies one of two concurrent password changes", async () => {
  const { id } = await aPerson();
  const both = [await signedInAs(id), await signedInAs(id)];
  const changes = await Promise.allSettled(
    both.map((signedIn, at) =>
      changeOwnPassword(
        db(),
        signedIn,
        { current: PASSWORD, next: `another good phrase ${at}` },
        origin,
      ),
    ),
  );

  expect(changes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await sessionsOf(id)).toBe(1);
});
