import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import type { SuppressionFilterParams } from "./queries.ts";

/** Downloads all suppressions that match the filters. */
export function ExportSuppressionsButton({ filters }: { filters: SuppressionFilterParams }) {
  return (
    <Button
      component="a"
      href={`/console/api/suppressions/export?${new URLSearchParams(filters).toString()}`}
      download
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} />}
    >
      Download CSV
    </Button>
  );
}
