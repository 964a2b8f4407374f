import { expect, test } from "vitest";

import { readMatching } from "./select-all-matching.tsx";

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: String(from + i) }));

/** A list of `count` rows, whose search pauses after each page with fewer rows than asked for. */
function aList(count: number, perPage = 100) {
  const asked: (string | undefined)[] = [];
  const read = ({ limit, after }: { limit: string; after?: string }) => {
    asked.push(after);
    const from = after === undefined ? 0 : Number(after) + 1;
    const data = rows(from, Math.min(Number(limit), perPage, count - from));
    const isMore = from + data.length < count;
    const pauses = isMore && perPage < Number(limit);
    return Promise.resolve({
      data,
      hasMore: isMore && !pauses,
      searchedTo: pauses ? { id: data.at(-1)!.id } : null,
    });
  };
  return { asked, read };
}

test("reads all pages of a list", async () => {
  const list = aList(250);
  expect(await readMatching(list.read)).toEqual({ data: rows(0, 250), hasMore: false });
  expect(list.asked).toEqual([undefined, "99", "199"]);
});

test("continues a search that paused", async () => {
  const list = aList(120, 50);
  expect(await readMatching(list.read)).toEqual({ data: rows(0, 120), hasMore: false });
});

test("stops at 1,000 rows", async () => {
  expect(await readMatching(aList(1_000).read)).toMatchObject({ hasMore: false });
  const { data, hasMore: isMore } = await readMatching(aList(1_001).read);
  expect([data.length, isMore]).toEqual([1_000, true]);
});
