"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DomainDetail,
  doctorQuery,
  useVerifyDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { RecordDiagnosis } from "./record-diagnosis.tsx";
import classes from "./ownership.module.css";
import { ProviderHelp, useProvider } from "./provider-help.tsx";
import { RecordTable } from "./record-table.tsx";
import { ExportRecords } from "./export-records.tsx";

export function OwnershipVerification({ domain }: { domain: DomainDetail }) {
  const provider = useProvider(domain);
  const doctor = useQuery(doctorQuery(domain));
  const verify = useVerifyDomain(domain.id);
  const problems = doctor.data?.problems ?? null;
  const mayVerify = usePrivileges().has("domains");
  const [record] = domain.records;
  if (!record) return null;
  return (
    <>
      <Panel title="Verify domain ownership" aside={<ExportRecords domain={domain} />}>
        <Text mb="md">
          Add this record to the DNS of {domain.zone}, then verify the domain. Most DNS providers
          publish new records within a few minutes.
        </Text>
        <RecordTable
          records={[record]}
          problems={problems}
          provider={provider.chosen}
          label="Record to publish"
        />
        <ProviderHelp domain={domain} {...provider} />
        <div className={classes.verify}>
          {mayVerify ? (
            <Button
              aria-busy={verify.isPending}
              onClick={() => !verify.isPending && verify.mutate()}
            >
              Verify domain
            </Button>
          ) : (
            <Text>You need the Domains privilege to verify this domain.</Text>
          )}
          <Text size="sm" c="dimmed" role="status">
            {verify.isPending ? "Checking the DNS record…" : DEADLINE}
          </Text>
        </div>
        <FormError error={verify.error} />
      </Panel>
      {domain.checked_at !== null && (
        <Panel
          title="Last check"
          aside={
            <Text size="sm" c="dimmed">
              Checked <RelativeTime at={domain.checked_at} />
            </Text>
          }
        >
          <RecordDiagnosis record={record} problems={problems} />
        </Panel>
      )}
    </>
  );
}

const DEADLINE = "Verify the domain within seven days of creating it.";
