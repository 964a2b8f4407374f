"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { type DomainDetail, doctorQuery } from "#app/console/(pages)/domains/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { DnsDoctor } from "./dns-doctor.tsx";
import { MailAppRecords } from "./mail-app-records.tsx";
import { ProviderHelp, useProvider } from "./provider-help.tsx";
import { RecordTable } from "./record-table.tsx";
import { ExportRecords } from "./export-records.tsx";

const NEEDS = [
  ["required", "Required for sending"],
  ["recommended", "Recommended and receiving"],
  ["optional", "Optional: second DKIM key, return path, and TLS for incoming mail"],
] as const;

export function DomainDns({ domain }: { domain: DomainDetail }) {
  const provider = useProvider(domain);
  const { data: doctor } = useQuery(doctorQuery(domain));
  const table = { provider: provider.chosen, problems: doctor?.problems ?? null };
  return (
    <>
      <DnsDoctor domain={domain} />
      <Panel title="Records to publish" aside={<ExportRecords domain={domain} />}>
        <ProviderHelp domain={domain} {...provider} />
        {NEEDS.map(([need, title]) => {
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
        })}
      </Panel>
      <MailAppRecords records={domain.mail_app_records} provider={provider.chosen} />
    </>
  );
}
