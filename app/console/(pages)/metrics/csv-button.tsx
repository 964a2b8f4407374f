"use client";

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

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
