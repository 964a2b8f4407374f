"use client";

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { downloadCsv } from "#app/console/ui/charts/download-csv.ts";

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
