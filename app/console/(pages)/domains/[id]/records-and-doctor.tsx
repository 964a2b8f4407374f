"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { type DomainDetail, doctorQuery } from "#app/console/(pages)/domains/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { Doctor } from "./doctor.tsx";
import { MailApps } from "./mail-apps.tsx";
import { ProviderHelp, useProvider } from "./provider-help.tsx";
import { RecordTable } from "./record-table.tsx";
import { TakeAlong } from "./take-along.tsx";

const NEEDS = [
  ["required", "Needed to send"],
  ["recommended", "Recommended, and to receive mail"],
  ["optional", "Optional: encrypted delivery to you"],
] as const;

/** What to publish, and what of it was found. */
export function RecordsAndDoctor({ domain }: { domain: DomainDetail }) {
  const provider = useProvider(domain);
  const { data: doctor } = useQuery(doctorQuery(domain));
  const table = { provider: provider.chosen, problems: doctor?.problems ?? null };
  return (
    <>
      <Doctor domain={domain} />
      <Panel title="Records to publish" aside={<TakeAlong domain={domain} />}>
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
      <MailApps records={domain.mail_app_records} provider={provider.chosen} />
    </>
  );
}
