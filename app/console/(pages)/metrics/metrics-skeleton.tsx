import { Skeleton } from "@mantine/core";

import { BAR_CHART_HEIGHT } from "#app/console/ui/charts/bar-chart.tsx";
import { LINE_CHART_HEIGHT } from "#app/console/ui/charts/line-chart.tsx";

import classes from "./metrics.module.css";
import { COUNTS, RATES } from "./metric-labels.ts";

export function MetricsSkeleton() {
  return (
    <div className={classes.parts}>
      <div className={classes.totals}>
        {["emails", ...COUNTS].map((name) => (
          <div key={name} className={classes.total}>
            <Skeleton height={12} width="60%" my={4} />
            <Skeleton height={24} width="40%" my={4} />
            <Skeleton height={10} width="80%" my={4} />
          </div>
        ))}
      </div>
      <Skeleton height={BAR_CHART_HEIGHT + 134} radius="lg" />
      <div className={classes.rates}>
        {RATES.map((name) => (
          <Skeleton key={name} height={LINE_CHART_HEIGHT + 122} radius="lg" />
        ))}
      </div>
    </div>
  );
}
