import { sql } from "drizzle-orm";

import { pluralize } from "#server/core/shared/pluralize.ts";
import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

const PART = "audit log";
const VERIFY =
  "Run `posthouse audit verify`, and find out who changed the database. If all problems have an explanation, accept them with `posthouse audit accept`";

type Row = { name: string; problem: string | null; unsealed: boolean; verified: boolean };

/** Checks the results of the daily verification of the audit logs, and that new entries are sealed. */
export async function checkAuditLog(db: Db): Promise<Finding> {
  const rows = await db.execute<Row>(sql`
    select c.name, h.verified_at is not null as verified,
      case when h.company_id is null and exists (
          select from audit_entries e where e.company_id = c.id and e.sequence is not null)
        then 'The signed head is missing' else h.problem end as problem,
      exists (select from audit_entries e where e.company_id = c.id and e.sequence is null
        and e.created_at < statement_timestamp() - interval '1 hour') as unsealed
    from companies c left join audit_heads h on h.company_id = c.id order by c.name`);
  const [broken, ...others] = rows.filter(({ problem }) => problem !== null);
  if (broken) {
    const more =
      others.length > 0
        ? `. ${pluralize(others.length, "other audit log", "other audit logs")} failed too`
        : "";
    return failed(
      PART,
      `The audit log of ${broken.name} failed verification: ${broken.problem}${more}`,
      VERIFY,
    );
  }
  const waiting = rows.find(({ unsealed }) => unsealed);
  if (waiting)
    return warning(
      PART,
      `Entries in the audit log of ${waiting.name} have been waiting to be sealed for over an hour`,
      "Check that the worker runs: posthouse logs worker",
    );
  const verified = rows.filter((row) => row.verified).length;
  return ok(
    PART,
    `${pluralize(verified, "audit log was", "audit logs were")} verified, and new entries are sealed`,
  );
}
