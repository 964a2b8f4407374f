import { expect, test } from "vitest";

import { countGridlines, createPlotArea, rateGridlines, visibleTicks, stack } from "./scale.ts";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [160, [0, 50, 100, 150, 200]],
  [1_234, [0, 500, 1_000, 1_500]],
])("counts up to %d get the gridlines %j", (highest, lines) => {
  expect(countGridlines(highest)).toEqual(lines);
});

test("count gridlines are a few whole numbers that cover the highest count", () => {
  for (let highest = 1; highest < 3_000_000; highest = Math.ceil(highest * 1.13)) {
    const lines = countGridlines(highest);
    expect(lines[0]).toBe(0);
    expect(lines.at(-1)).toBeGreaterThanOrEqual(highest);
    expect(lines.every(Number.isInteger)).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(9);
  }
});

test.each([
  [0, 0.01],
  [0.011, 0.02],
  [0.4, 0.4],
  [0.97, 1],
])("a rate axis up to %d ends at %d", (highest, end) => {
  expect(rateGridlines(highest)).toEqual([0, end / 2, end]);
});

test("stacks values in order, without zeros", () => {
  expect(stack(["done", "waiting", "failed"], { failed: 2, done: 40, waiting: 0 })).toEqual([
    { name: "done", from: 0, to: 40 },
    { name: "failed", from: 40, to: 42 },
  ]);
  expect(stack(["done"], {})).toEqual([]);
});

test("leaves out ticks that don't fit, in even steps from the last", () => {
  const days = Array.from({ length: 14 }, (_, day) => `${day + 1} Nov`);
  expect(visibleTicks(days, 60, 56)).toHaveLength(14);
  expect(visibleTicks(days, 30, 56)).toEqual([1, 3, 5, 7, 9, 11, 13]);
  expect(visibleTicks(days, 1, 56)).toEqual([13]);
  expect(visibleTicks(["Nov"], 1, 56)).toEqual([0]);
  expect(visibleTicks([], 1, 56)).toEqual([]);
});

test("shows repeated ticks once", () => {
  const hours = Array.from({ length: 72 }, (_, hour) => `${Math.floor((hour + 5) / 24)} Nov`);
  expect(visibleTicks(hours, 4, 56)).toEqual([0, 19, 43, 67]);
  expect(visibleTicks(hours, 2, 90)).toEqual([19, 67]);
});

const area = createPlotArea({ width: 340, height: 240, count: 10, labelWidth: 36, max: 1_000 });

test("places values between the tick labels and the top edge, zero on the axis", () => {
  expect(area.y(0)).toBe(area.bottom);
  expect(area.y(1_000)).toBe(area.top);
  expect(area.y(500)).toBe((area.top + area.bottom) / 2);
});

test("places points right of the gridline labels at equal distances", () => {
  expect(area.left).toBeGreaterThan(36);
  expect(area.x(0)).toBeCloseTo(area.left + area.pitch / 2);
  expect(area.x(9) + area.pitch / 2).toBeCloseTo(340);
});

test("maps positions to the nearest point", () => {
  for (let index = 0; index < 10; index++) expect(area.indexAt(area.x(index))).toBe(index);
  expect([-20, 0, 340, 900].map(area.indexAt)).toEqual([0, 0, 9, 9]);
});

test("lays out charts without width or points", () => {
  const none = createPlotArea({ width: 0, height: 240, count: 0, labelWidth: 7, max: 1 });
  expect([none.pitch, none.x(0), none.y(1)].every(Number.isFinite)).toBe(true);
});
