"use client";

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { errorMessage } from "#app/console/ui/error-message.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { saveCsv, toCsv } from "./csv.ts";
import { exportBatch, type SuppressionFilterParams } from "./queries.ts";

/**
 * Downloads all suppressions that match the filters. The file is saved only once all batches are loaded;
 * pressing the button again cancels the export.
 */
export function ExportSuppressionsButton({ filters }: { filters: SuppressionFilterParams }) {
  const [fetched, setFetched] = useState<number | null>(null);
  /** Identifies the current run, so that a canceled one saves nothing. */
  const run = useRef(0);
  useEffect(
    () => () => {
      run.current += 1;
    },
    [],
  );

  async function fetchAll(own: number) {
    const parts: string[] = [];
    let [after, count]: [string | null, number] = [null, 0];
    do {
      const part: Batch = await exportBatch(filters, after);
      if (own !== run.current) return;
      parts.push(await toCsv(part.rows.map(cellsOf), parts.length === 0 ? HEAD : null));
      after = part.next;
      setFetched((count += part.rows.length));
    } while (after !== null);
    saveCsv("suppressions.csv", parts);
  }

  function handleClick() {
    const own = ++run.current;
    if (fetched !== null) {
      setFetched(null);
      return;
    }
    setFetched(0);
    fetchAll(own)
      .catch((error: unknown) => toast(`Couldn’t export the suppressions. ${failureOf(error)}`))
      .finally(() => {
        if (own === run.current) setFetched(null);
      });
  }

  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} />}
      aria-busy={fetched !== null}
      onClick={handleClick}
    >
      {fetched === null ? "Download CSV" : `Cancel export (${formatCount(fetched)} loaded)`}
    </Button>
  );
}

type Batch = Awaited<ReturnType<typeof exportBatch>>;

const cellsOf = ({ email, origin, source_id: source, created_at: at }: Batch["rows"][number]) => [
  ...[email, origin, source, at],
];
const HEAD = ["email", "origin", "source_email_id", "created_at"];
const failureOf = (error: unknown) => (error instanceof Error ? errorMessage(error) : "");
