import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { saveCsv } from "#app/console/ui/csv.ts";

import { emailCount, NOTABLE, RATE_NAMES, rateOf } from "./metric-labels.ts";
import type { Granularity } from "./period.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

type CsvButtonProps = { fileName: string; rowsOf: () => Record<string, string | number>[] };

export const CsvButton = ({ fileName, rowsOf }: CsvButtonProps) => (
  <Button
    variant="default"
    leftSection={<IconDownload size={14} />}
    onClick={() => void saveCsv(fileName, rowsOf())}
  >
    Download CSV
  </Button>
);

type Row = Record<string, string | number>;

/** CSV rows with the counts and rates of each period. Rates range from 0 to 1 and are empty if undefined. */
export function periodRows({ periods }: MetricsAnswer, granularity: Granularity): Row[] {
  return periods.map(({ label, counts }) => ({
    [granularity === "hourly" ? "hour" : "day"]: label,
    ...numberColumns(counts),
  }));
}

/** CSV rows with the counts and rates of each domain. */
export function domainRows({ domains }: MetricsAnswer): Row[] {
  return domains.map(({ domainName: name, counts }) => ({
    domain: name ?? "(deleted)",
    ...numberColumns(counts),
  }));
}

const numberColumns = (counts: Counts): Row => ({
  emails: emailCount(counts),
  ...counts.outcomes,
  ...Object.fromEntries(NOTABLE.map((name) => [name, counts[name]])),
  ...Object.fromEntries(
    RATE_NAMES.map((name) => [`${name}_rate`, rateOf(name, counts)?.toFixed(4) ?? ""]),
  ),
});
