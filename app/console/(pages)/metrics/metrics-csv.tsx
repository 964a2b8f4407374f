"use client";

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { COUNTS, emailCount, rateOf, RATES } from "./metric-labels.ts";
import type { Granularity } from "./period.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

export function CsvButton({
  fileName,
  rowsOf,
}: {
  fileName: string;
  rowsOf: () => Record<string, string | number>[];
}) {
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={14} />}
      onClick={() => void downloadCsv(fileName, rowsOf())}
    >
      Download CSV
    </Button>
  );
}

/**
 * Downloads rows as a CSV file (RFC 4180) in UTF-8, with a byte order mark for spreadsheets. Text that a
 * spreadsheet would run as a formula is escaped.
 *
 * @param fileName with its extension
 */
async function downloadCsv(
  fileName: string,
  rows: Record<string, string | number>[],
): Promise<void> {
  const { default: papa } = await import("papaparse");
  const text = papa.unparse(rows, { escapeFormulae: true });
  const url = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

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

function numberColumns(counts: Counts): Row {
  return {
    emails: emailCount(counts),
    ...Object.fromEntries(COUNTS.map((name) => [name, counts[name]])),
    ...Object.fromEntries(
      RATES.map((name) => [`${name}_rate`, rateOf(name, counts)?.toFixed(4) ?? ""]),
    ),
  };
}
