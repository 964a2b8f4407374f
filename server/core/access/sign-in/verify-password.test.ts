import { availableParallelism } from "node:os";

import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";

import { verifyPassword } from "./verify-password.ts";

const CHEAP = { memoryCost: 8, timeCost: 1 };

test("queues 200 passwords behind those being verified, and refuses more until there is room", async () => {
  const stored = await hash("right", CHEAP);
  const atOnce = Math.min(2, availableParallelism());
  const answers = await Promise.allSettled(
    Array.from({ length: atOnce + 200 + 3 }, (_, at) =>
      verifyPassword(at % 2 ? "wrong" : "right", stored),
    ),
  );
  const outcome = (answer: PromiseSettledResult<boolean>) =>
    answer.status === "fulfilled" ? answer.value : (answer.reason as { reason: string }).reason;
  expect(answers.slice(0, 2).map(outcome)).toEqual([true, false]);
  expect(answers.slice(0, -3).every(({ status }) => status === "fulfilled")).toBe(true);
  expect(answers.slice(-3).map(outcome)).toEqual(Array(3).fill("rate_limit_exceeded"));
  expect(await verifyPassword("right", stored)).toBe(true);
});
