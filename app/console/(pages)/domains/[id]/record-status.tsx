import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";
import { Status } from "#app/console/ui/status.tsx";

/** @param problems of all records; null while they are looked for */
export function RecordStatus({
  record,
  problems,
}: {
  record: DomainRecord;
  problems: RecordProblem[] | null;
}) {
  if (record.type === "CNAME") return <Status meaning="none" word="Not checked" />;
  if (record.missing_since !== null) return <Status meaning="failed" word="Going missing" />;
  if (record.is_verified) return <Status meaning="done" word="Found" />;
  const isWrong = problems?.some(
    ({ record: kind, difference }) => kind === record.kind && difference !== null,
  );
  if (isWrong) return <Status meaning="failed" word="Not right" />;
  if (record.need === "optional") return <Status meaning="none" word="Not published" />;
  return <Status meaning="waiting" word="Not found yet" />;
}
