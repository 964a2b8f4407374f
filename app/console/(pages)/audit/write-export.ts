import { sentenceOf } from "./audit-sentences.ts";
import { linesOfCsv } from "./lines-of-csv.ts";
import { type AuditFilters, type AuditRow, readForExport } from "./queries.ts";

export type Format = "csv" | "json";

const KINDS = { csv: "text/csv;charset=utf-8", json: "application/json" };

/**
 * Reads all entries that fit and has the browser save them: a thousand at a time, so that neither the
 * server nor the page holds up. Stopped by `signal`, nothing is saved.
 *
 * @param onProgress is told how many are written
 */
export async function writeExport({
  filters,
  format,
  signal,
  onProgress,
}: {
  filters: AuditFilters;
  format: Format;
  signal: AbortSignal;
  onProgress: (entries: number) => void;
}): Promise<void> {
  const parts: Blob[] = [];
  let written = 0;
  let after: string | null = null;
  do {
    const page = await readForExport(filters, after);
    if (signal.aborted) return;
    // Parts that are blobs already need not stay in memory.
    parts.push(new Blob([textOf(page.data, format, written === 0)]));
    written += page.data.length;
    onProgress(written);
    after = page.next;
  } while (after !== null);
  const file = format === "json" ? ["[", ...parts, "\n]\n"] : parts;
  save(new Blob(file, { type: KINDS[format] }), `audit-log.${format}`);
}

function textOf(rows: AuditRow[], format: Format, isFirst: boolean): string {
  if (format === "csv") return linesOfCsv(rows.map(withSentence), isFirst);
  const texts = rows.map((row) => JSON.stringify(withSentence(row)));
  if (texts.length === 0) return "";
  return `${isFirst ? "" : ","}\n${texts.join(",\n")}`;
}

const withSentence = ({ id, created_at, actor, actor_kind, action, details }: AuditRow) => ({
  ...{ created_at, actor, actor_kind, action },
  sentence: sentenceOf(action, details),
  ...{ details, id },
});

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
