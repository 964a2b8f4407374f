import { beforeEach, expect, test, vi } from "vitest";

import { type CheckedLine, importLine } from "./queries.ts";

const line = { email: "ann@a.test", outcome: "new", aliases: [], quotaMb: null, unit: null };
const requests: string[] = [];

/** Answers requests in turn; null for one that is lost on the way back. */
function answer(...answers: ({ status?: number; body: object } | null)[]) {
  vi.stubGlobal("fetch", (url: string, { method }: RequestInit) => {
    requests.push(`${method} ${url}`);
    const next = answers.shift();
    if (!next) return Promise.reject(new TypeError("Failed to fetch"));
    return Promise.resolve(Response.json(next.body, { status: next.status ?? 200 }));
  });
}

beforeEach(() => {
  requests.length = 0;
  return () => vi.unstubAllGlobals();
});

const exists = {
  status: 409,
  body: { statusCode: 409, name: "already_exists", message: "ann@a.test is already used" },
};
const isNew = { body: { forcePasswordChange: true, lastSignInAt: null } };
const run = (unanswered: Set<string>) =>
  importLine("Ann", line as unknown as CheckedLine, unanswered);

test("a mailbox whose creation got no answer gets another temporary password", async () => {
  const unanswered = new Set<string>();
  answer(null, exists, isNew, { body: { temporaryPassword: "second" } });
  await expect(run(unanswered)).rejects.toThrow(TypeError);
  expect(await run(unanswered)).toMatchObject({ password: "second" });
  expect(requests.at(-1)).toBe("POST /console/api/mailboxAccess/resetPassword?email=ann%40a.test");
});

test("the password of a mailbox that is in use, or that someone else created, isn't reset", async () => {
  const used = { body: { forcePasswordChange: false, lastSignInAt: null } };
  answer(null, exists, used, exists);
  const unanswered = new Set<string>();
  await expect(run(unanswered)).rejects.toThrow(TypeError);
  await expect(run(unanswered)).rejects.toThrow("ann@a.test is already used");
  await expect(run(new Set())).rejects.toThrow("ann@a.test is already used");
  expect(requests.filter((request) => request.includes("/resetPassword?"))).toEqual([]);
});
