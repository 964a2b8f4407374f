"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DnsProvider,
  type DomainDetail,
  doctorQuery,
} from "#app/console/(pages)/domains/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { DnsDoctor } from "./dns-doctor.tsx";
import { DomainSetUp } from "./domain-set-up.tsx";
import { MailAppRecords } from "./mail-app-records.tsx";
import { ProviderHelp, useProvider } from "./provider-help.tsx";
import { RecordTable } from "./record-table.tsx";
import { ExportRecords } from "./export-records.tsx";
import { isSetUp } from "./set-up-steps.ts";
import type { RecordChecks } from "./use-record-checks.ts";

const NEEDS = [
  ["required", "Required for sending"],
  ["recommended", "Recommended and receiving"],
  ["optional", "Optional: second DKIM key, return path, and TLS for incoming mail"],
] as const;

export function DomainDns({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) {
  const provider = useProvider(domain);
  const publishing = (
    <Panel title="Records to publish" aside={<ExportRecords domain={domain} />}>
      <ProviderHelp domain={domain} checks={checks} {...provider} />
      <RecordTables domain={domain} provider={provider.chosen} />
    </Panel>
  );
  // Before ownership is verified, what to publish matters more than what was found.
  const isNew = !domain.isOwnershipVerified;
  return (
    <>
      {!isSetUp(domain) && <DomainSetUp domain={domain} checks={checks} />}
      {isNew && publishing}
      <DnsDoctor domain={domain} />
      {!isNew && publishing}
      <MailAppRecords records={domain.mailAppRecords} provider={provider.chosen} />
    </>
  );
}

function RecordTables({
  domain,
  provider,
}: {
  domain: DomainDetail;
  provider: DnsProvider | null;
}) {
  const { data: doctor } = useQuery(doctorQuery(domain));
  const table = { provider, problems: doctor?.problems ?? null };
  return NEEDS.map(([need, title]) => {
    const records = domain.records.filter((record) => record.need === need);
    return (
      records.length > 0 && (
        <section key={need} aria-label={title}>
          <Text fw={600} size="sm" mt="lg" mb="xs" component="h3">
            {title}
          </Text>
          <RecordTable {...table} records={records} label={title} />
        </section>
      )
    );
  });
}
