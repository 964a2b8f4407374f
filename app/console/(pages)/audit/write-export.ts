import { describeEntry } from "./describe-entry.ts";
import { toCsv } from "./to-csv.ts";
import { type AuditFilterValues, type AuditRow, fetchExportPage } from "./queries.ts";

export type Format = "csv" | "json";

const MIME_TYPES = { csv: "text/csv;charset=utf-8", json: "application/json" };

/**
 * Fetches all matching entries page by page and saves them as a file. Saves nothing if `signal` aborts.
 *
 * @param onProgress receives the number of entries fetched so far
 */
export async function writeExport({
  filters,
  format,
  signal,
  onProgress,
}: {
  filters: AuditFilterValues;
  format: Format;
  signal: AbortSignal;
  onProgress: (entries: number) => void;
}): Promise<void> {
  const parts: Blob[] = [];
  let fetched = 0;
  let after: string | null = null;
  do {
    const page = await fetchExportPage(filters, after);
    if (signal.aborted) return;
    // The browser can move blobs out of memory.
    parts.push(new Blob([textOf(page.data, format, fetched === 0)]));
    fetched += page.data.length;
    onProgress(fetched);
    after = page.next;
  } while (after !== null);
  const file = format === "json" ? ["[", ...parts, "\n]\n"] : parts;
  save(new Blob(file, { type: MIME_TYPES[format] }), `audit-log.${format}`);
}

function textOf(rows: AuditRow[], format: Format, isFirst: boolean): string {
  if (format === "csv") return toCsv(rows.map(withDescription), isFirst);
  const texts = rows.map((row) => JSON.stringify(withDescription(row)));
  if (texts.length === 0) return "";
  return `${isFirst ? "" : ","}\n${texts.join(",\n")}`;
}

const withDescription = ({ id, created_at, actor, actor_kind, action, details }: AuditRow) => ({
  ...{ created_at, actor, actor_kind, action },
  description: describeEntry(action, details),
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
