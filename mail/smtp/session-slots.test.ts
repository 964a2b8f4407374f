import { expect, test } from "vitest";

import { SessionSlots } from "./session-slots.ts";

function anOwner(slots: SessionSlots, isAnswering: boolean) {
  const owner = {
    connections: 0,
    isAnswering,
    dispatched: 0,
    dispatch: () => {
      owner.dispatched++;
    },
    take() {
      const isTaken = slots.take(owner);
      if (isTaken) owner.connections++;
      return isTaken;
    },
  };
  return owner;
}

test("silent destinations leave a third of the connections to those that answer", () => {
  const slots = new SessionSlots(30);
  const silent = Array.from({ length: 20 }, () => anOwner(slots, false));
  for (const owner of [...silent, ...silent]) owner.take();
  expect(slots.used).toBe(20);
  const fast = anOwner(slots, true);
  expect(Array.from({ length: 11 }, () => fast.take()).filter(Boolean)).toHaveLength(10);
});

test("a silent destination gets a free connection when few of them have one", () => {
  const slots = new SessionSlots(30);
  const fast = anOwner(slots, true);
  for (let taken = 0; taken < 29; taken++) fast.take();
  const silent = anOwner(slots, false);
  expect([silent.take(), silent.take()]).toEqual([true, false]);
  slots.release(fast);
  expect(silent.dispatched).toBe(1);
});

test("inner slots count toward the outer limit, and both wake waiting owners", () => {
  const outer = new SessionSlots(3);
  let max = 1;
  const [one, other] = [new SessionSlots(() => max, outer), new SessionSlots(5, outer)];
  const [a, b] = [anOwner(one, true), anOwner(other, true)];
  expect([a.take(), a.take()]).toEqual([true, false]);
  expect([b.take(), b.take(), b.take()]).toEqual([true, true, false]);
  expect([one.used, other.used, outer.used]).toEqual([1, 2, 3]);
  max = 2;
  other.release(b);
  expect(b.dispatched).toBe(1);
  one.serve();
  expect(a.dispatched).toBe(1);
  expect(a.take()).toBe(true);
});
