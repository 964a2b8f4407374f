"use client";

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { failureWords } from "#app/console/ui/failure-words.ts";
import { toast } from "#app/console/ui/toast.ts";

import { saveCsv, toCsv } from "./csv.ts";
import { exportPart, type SuppressionFilters } from "./queries.ts";

/**
 * A file with all that the filters show. It is fetched in parts and saved when all are there: it is whole
 * or it is not there. Pressed again meanwhile, it stops.
 */
export function ExportButton({ filters }: { filters: SuppressionFilters }) {
  const [fetched, setFetched] = useState<number | null>(null);
  /** Which run counts: one that was stopped saves nothing. */
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
      const part: Part = await exportPart(filters, after);
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
      .catch((error: unknown) => toast(`The file could not be fetched. ${failureOf(error)}`))
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
      {fetched === null ? "Download CSV" : `Stop: ${fetched.toLocaleString("en")} fetched`}
    </Button>
  );
}

type Part = Awaited<ReturnType<typeof exportPart>>;

const cellsOf = ({ email, origin, source_id: source, created_at: at }: Part["rows"][number]) => [
  ...[email, origin, source, at],
];
const HEAD = ["email", "origin", "source_email_id", "created_at"];
const failureOf = (error: unknown) => (error instanceof Error ? failureWords(error) : "");
