"use client";

import { Button } from "@mantine/core";

import { type DomainDetail, useVerifyDomain } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./domain.module.css";

export function CheckRecords({ domain }: { domain: DomainDetail }) {
  const verify = useVerifyDomain(domain.id);
  const mayCheck = usePrivileges().has("domains");
  return (
    <div className={classes.check}>
      {mayCheck && (
        <Button
          variant="default"
          aria-busy={verify.isPending}
          onClick={() => !verify.isPending && verify.mutate()}
        >
          Check records
        </Button>
      )}
      <span role="status">
        {verify.isPending ? "Checking DNS records…" : <LastCheck at={domain.checked_at} />}
      </span>
      <FormError error={verify.error} />
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
