import { expect, test } from "vitest";

import { lockNumber } from "#server/db/advisory-locks.ts";
import { db, pool } from "#server/db/pool.ts";

import { isOutOfSpace, UncountedSignIns } from "./uncounted-sign-ins.ts";

const attempt = (password: string, clientAddress = "192.0.2.1", account = "ann@x.test") => ({
  account,
  password,
  clientAddress,
  checkKey: "",
});

test("recognizes a full disk when the driver wraps the error", () => {
  const error = Object.assign(new Error("no space"), { code: "53100" });
  expect(isOutOfSpace(new Error("Failed query", { cause: error }))).toBe(true);
  expect(isOutOfSpace(Object.assign(new Error("x"), { code: "57014" }))).toBe(false);
});

test("holds the lock that the password query looks for, and limits guesses per source and account", async () => {
  const signIns = new UncountedSignIns(db());
  const isHeld = async () =>
    (
      await pool().sql`select from pg_locks where locktype = 'advisory' and granted
        and (classid::bigint << 32 | objid::bigint) = ${lockNumber("uncountedSignIns")}::bigint`
    ).length > 0;
  expect(await isHeld()).toBe(false);
  for (let i = 0; i < 10; i++) expect(await signIns.count(attempt(`guess ${i}`))).toBeNull();
  expect(await isHeld()).toBe(true);
  expect(await signIns.count(attempt("guess 1"))).toBeNull();
  expect(await signIns.count(attempt("guess 10"))).toMatch(/^Too many/);
  expect(await signIns.count(attempt("right", "192.0.2.1", "bob@x.test"))).toBeNull();

  const answers = [];
  for (let i = 0; i < 120; i++)
    answers.push(await signIns.count(attempt(`other ${i}`, `198.51.100.${i}`)));
  expect(answers.filter((answer) => answer === null).length).toBeLessThanOrEqual(90);
  signIns.stop();
  await expect.poll(isHeld).toBe(false);
});
