"use client";

import { Button } from "@mantine/core";

import type { DomainDetail } from "#app/console/(pages)/domains/queries.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./domain.module.css";
import type { RecordChecks } from "./use-record-checks.ts";

export function CheckRecords({
  domain,
  checks: { mayCheck, isChecking, error, check },
}: {
  domain: DomainDetail;
  checks: RecordChecks;
}) {
  return (
    <div className={classes.check}>
      {mayCheck && (
        <Button variant="default" aria-busy={isChecking} onClick={check}>
          Check records
        </Button>
      )}
      <span role="status">
        {isChecking ? "Checking DNS records…" : <LastCheck at={domain.checkedAt} />}
      </span>
      <FormError error={error} />
    </div>
  );
}

function LastCheck({ at }: { at: string | null }) {
  if (at === null) return "Not checked yet";
  return (
    <>
      Checked <RelativeTime at={at} />
    </>
  );
}
