"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DomainDetail,
  doctorQuery,
  useVerifyDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { Diagnosis } from "./diagnosis.tsx";
import classes from "./ownership.module.css";
import { ProviderHelp, useProvider } from "./provider-help.tsx";
import { RecordTable } from "./record-table.tsx";
import { TakeAlong } from "./take-along.tsx";

/** The one step before everything else: a TXT record that only who runs the DNS can publish. */
export function Ownership({ domain }: { domain: DomainDetail }) {
  const provider = useProvider(domain);
  const doctor = useQuery(doctorQuery(domain));
  const verify = useVerifyDomain(domain.id);
  const problems = doctor.data?.problems ?? null;
  const mayVerify = useRights().has("domains");
  const [record] = domain.records;
  if (!record) return null;
  return (
    <>
      <Panel title="Prove that the domain is yours" aside={<TakeAlong domain={domain} />}>
        <Text mb="md">
          Publish this record in the DNS of {domain.zone}, then have us look for it. Most providers
          show it to the world within a few minutes.
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
              Verify
            </Button>
          ) : (
            <Text>You need the privilege Domains to have it verified.</Text>
          )}
          <Text size="sm" c="dimmed" role="status">
            {verify.isPending ? "Asking the name servers of the zone" : UNTIL}
          </Text>
        </div>
        <FormProblem error={verify.error} />
      </Panel>
      {domain.checked_at !== null && (
        <Panel
          title="What was found"
          aside={
            <Text size="sm" c="dimmed">
              Checked <RelativeMoment at={domain.checked_at} />
            </Text>
          }
        >
          <Diagnosis record={record} problems={problems} />
        </Panel>
      )}
    </>
  );
}

const UNTIL = "It has to be found within seven days of adding the domain.";
