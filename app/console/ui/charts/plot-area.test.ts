import { expect, test } from "vitest";

import { createPlotArea } from "./plot-area.ts";

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
