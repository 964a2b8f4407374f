import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";
import { Status } from "#app/console/ui/status.tsx";

/** @param problems of all records; null while loading */
export function RecordStatus({
  record,
  problems,
}: {
  record: DomainRecord;
  problems: RecordProblem[] | null;
}) {
  if (record.type === "CNAME") return <Status meaning="none" word="Not checked" />;
  if (record.missing_since !== null) return <Status meaning="failed" word="No longer found" />;
  if (record.is_verified) return <Status meaning="done" word="Verified" />;
  const isIncorrect = problems?.some(
    ({ record: kind, difference }) => kind === record.kind && difference !== null,
  );
  if (isIncorrect) return <Status meaning="failed" word="Incorrect" />;
  if (record.need === "optional") return <Status meaning="none" word="Not published" />;
  return <Status meaning="waiting" word="Not found" />;
}
