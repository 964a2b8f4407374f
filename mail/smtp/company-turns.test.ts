import fc from "fast-check";
import { expect, test } from "vitest";

import { CompanyTurns } from "./company-turns.ts";

type Item = { companyId: string; at: number };
const ANY = { isUrgent: false };

const drained = (turns: CompanyTurns<Item>): Item[] => {
  const items: Item[] = [];
  for (let next = turns.peek(); next; next = turns.peek()) {
    items.push(next);
    expect(turns.shift()).toBe(next);
  }
  return items;
};

test("a company waits for at most one item of each other company, and its items keep their order", () => {
  const companies = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 40 });
  fc.assert(
    fc.property(companies, (names) => {
      const turns = new CompanyTurns<Item>();
      const all = names.map((companyId, at) => ({ companyId, at }));
      for (const item of all) turns.push(item.companyId, item, ANY);
      expect(turns.length).toBe(all.length);
      const items = drained(turns);
      expect(turns.length).toBe(0);
      for (const company of new Set(names)) {
        const own = items.filter(({ companyId }) => companyId === company);
        expect(own).toEqual(all.filter(({ companyId }) => companyId === company));
        for (const [nth, item] of own.entries())
          expect(items.indexOf(item)).toBeLessThan((nth + 1) * new Set(names).size);
      }
    }),
  );
});

test("removes what matches and keeps the rest in turn", () => {
  const turns = new CompanyTurns<Item>();
  for (const [at, companyId] of ["a", "a", "b", "a", "c"].entries())
    turns.push(companyId, { companyId, at }, ANY);
  expect(turns.remove(({ at }) => at === 0 || at === 4).map(({ at }) => at)).toEqual([0, 4]);
  expect(turns.length).toBe(3);
  expect(drained(turns).map(({ at }) => at)).toEqual([1, 2, 3]);
  expect([turns.peek(), turns.shift(), turns.length]).toEqual([undefined, undefined, 0]);
});

test("a company's urgent items go before its others, but not before those of other companies", () => {
  const turns = new CompanyTurns<Item>();
  const names = ["a", "a", "b", "b"];
  for (const [at, companyId] of names.entries()) turns.push(companyId, { companyId, at }, ANY);
  turns.push("a", { companyId: "a", at: 4 }, { isUrgent: true });
  expect(turns.length).toBe(5);
  expect(turns.remove(({ at }) => at === 1).map(({ at }) => at)).toEqual([1]);
  expect(drained(turns).map(({ at }) => at)).toEqual([4, 2, 0, 3]);
});
