import { expect, test } from "vitest";

import { gauge, toCountedFamilies } from "./metric-families.ts";

const total = (name: string, labels: Record<string, string>, value: number) => ({
  name,
  labels,
  value,
});

test("cumulates the buckets of each series and counts them", () => {
  const name = "posthouse_webhook_attempt_seconds";
  const families = toCountedFamilies([
    total(`${name}_bucket`, { le: "0.1" }, 2),
    total(`${name}_bucket`, { le: "+Inf" }, 1),
    total(`${name}_sum`, {}, 60.2),
  ]);
  const { samples } = families.find((family) => family.name === name)!;
  const values = samples.map((sample) => [sample.labels.le ?? sample.name, sample.value]);
  expect(Object.fromEntries(values)).toEqual({
    "0.005": 0,
    "0.025": 0,
    "0.1": 2,
    "0.25": 2,
    "0.5": 2,
    "1": 2,
    "2.5": 2,
    "5": 2,
    "10": 2,
    "30": 2,
    "+Inf": 3,
    [`${name}_sum`]: 60.2,
    [`${name}_count`]: 3,
  });
  expect(samples.slice(0, 11).map(({ value }) => value)).toEqual([0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
});

test("keeps series with different labels apart", () => {
  const name = "posthouse_http_request_seconds";
  const families = toCountedFamilies(
    ["api", "pages"].flatMap((part, at) => [
      total(`${name}_bucket`, { part, le: "1" }, at + 1),
      total(`${name}_sum`, { part }, at),
    ]),
  );
  const { samples } = families.find((family) => family.name === name)!;
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  expect(counts.map(({ labels, value }) => [labels, value])).toEqual([
    [{ part: "api" }, 1],
    [{ part: "pages" }, 2],
  ]);
});

test("leaves out values that aren't known", () => {
  expect(gauge("posthouse_x", "help", null).samples).toEqual([]);
  expect(gauge("posthouse_x", "help", 0).samples).toEqual([{ labels: {}, value: 0 }]);
});
