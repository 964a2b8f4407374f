import { expect, test, vi } from "vitest";

import { LearningQueue } from "./learning-socket.ts";

test("learns messages one at a time, in order", async () => {
  const learned: string[] = [];
  let running = 0;
  const queue = new LearningQueue({
    async learn(kind, content) {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      learned.push(`${kind} ${content.toString()}`);
      running -= 1;
    },
    onProblem: (error) => {
      throw error;
    },
  });
  queue.add("spam", Buffer.from("a"));
  queue.add("ham", Buffer.from("b"));
  queue.add("spam", Buffer.from("c"));
  await vi.waitFor(() => expect(learned).toEqual(["spam a", "ham b", "spam c"]));
});

test("drops the waiting messages if one can't be learned, and tries later ones", async () => {
  const learn = vi.fn().mockRejectedValueOnce(new Error("gone")).mockResolvedValue(undefined);
  const onProblem = vi.fn();
  const queue = new LearningQueue({ learn, onProblem });
  for (const text of ["a", "b", "c"]) queue.add("spam", Buffer.from(text));
  await vi.waitFor(() => expect(onProblem).toHaveBeenCalledTimes(1));
  queue.add("ham", Buffer.from("d"));
  await vi.waitFor(() => expect(learn).toHaveBeenCalledTimes(2));
  expect(learn.mock.lastCall).toEqual(["ham", Buffer.from("d")]);
});

test("drops messages that exceed its memory limit", async () => {
  const release = Promise.withResolvers<undefined>();
  const learn = vi.fn(() => release.promise);
  const queue = new LearningQueue({ learn, onProblem: () => {} });
  const large = Buffer.alloc(16 * 1024 * 1024);
  // The first is already being learned and no longer counts.
  for (let i = 0; i < 5; i++) queue.add("spam", large);
  release.resolve(undefined);
  await vi.waitFor(() => expect(learn).toHaveBeenCalledTimes(3));
  queue.stop();
});
