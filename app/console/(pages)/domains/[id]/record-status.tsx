import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";
import { isChecked } from "#app/console/(pages)/domains/domain-labels.ts";
import { Status } from "#app/console/ui/status.tsx";

/** @param problems of all records; null while loading */
export function RecordStatus({
  record,
  problems,
}: {
  record: DomainRecord;
  problems: RecordProblem[] | null;
}) {
  if (!isChecked(record)) return <Status tone="none" label="Not checked" />;
  if (record.missingSince !== null) return <Status tone="failed" label="No longer found" />;
  if (record.isVerified) return <Status tone="done" label="Verified" />;
  const isIncorrect = problems?.some(
    ({ record: kind, difference }) => kind === record.kind && difference !== null,
  );
  if (isIncorrect) return <Status tone="failed" label="Incorrect" />;
  if (record.answers.length === 0) return <Status tone="none" label="Not checked" />;
  if (record.need === "optional") return <Status tone="none" label="Not published" />;
  return <Status tone="waiting" label="Not found" />;
}
