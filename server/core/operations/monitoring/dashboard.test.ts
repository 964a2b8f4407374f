import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { COUNTED } from "#server/core/platform/monitoring/counters.ts";

const HERE = import.meta.dirname;
const MONITORING = join(HERE, "../../../../docker/monitoring");

/** The metrics that the collectors name in their source. */
const NAMED = ["metric-families", "collect-metrics", "database-families"].flatMap((name) =>
  [...readFileSync(join(HERE, `${name}.ts`), "utf8").matchAll(/"(posthouse_\w+)"/g)].map(
    ([, metric]) => metric!,
  ),
);
const KNOWN = new Set([...NAMED, ...Object.keys(COUNTED), "posthouse_collector_up"]);

test.each(["grafana-dashboard.json", "posthouse-alerts.yml"])(
  "%s uses metrics that exist only",
  (file) => {
    const text = readFileSync(join(MONITORING, file), "utf8");
    const used = new Set([...text.matchAll(/posthouse_\w+/g)].map(([name]) => name));
    const unknown = [...used].filter((name) => !KNOWN.has(name.replace(/_bucket$/, "")));
    expect(used.size).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  },
);
