import { Anchor } from "@mantine/core";
import Link from "next/link";

import { planName } from "#app/console/(pages)/operate/companies/company-list.tsx";
import type { CompanyDetail } from "#app/console/(pages)/operate/companies/queries.ts";
import { formatMegabytes, formatUsage } from "#app/console/(pages)/operate/plan-limits.ts";
import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function CompanyFacts({ company }: { company: CompanyDetail }) {
  const { figures } = company;
  const mail = new URLSearchParams({ kind: "company", subject: company.id }).toString();
  return (
    <Panel title="Usage">
      <Facts>
        <Fact name="Plan">{planName(company)}</Fact>
        <Fact name="This month">
          {formatUsage(company.month_recipients, figures.monthly_allowance)} recipients,{" "}
          {inFull(company.hour_recipients)} in the last hour
        </Fact>
        <Fact name="Domains">{formatUsage(company.domains, figures.domains_max)}</Fact>
        <Fact name="Mailboxes">
          {formatUsage(company.mailboxes, figures.mailboxes_max)}
          {figures.quota_mb_max !== null && `, up to ${formatMegabytes(figures.quota_mb_max)} each`}
        </Fact>
        <Fact name="API keys">{inFull(company.api_keys)}</Fact>
        <Fact name="Admins">
          {inFull(company.admins)}, {inFull(company.sessions)} active{" "}
          {company.sessions === 1 ? "session" : "sessions"}
        </Fact>
        <Fact name="Scheduled emails">{inFull(company.scheduled_emails)}</Fact>
        <Fact name="Queue">
          <Anchor component={Link} href={`/console/operate/queue?${mail}`}>
            View queued mail
          </Anchor>
        </Fact>
        <Fact name="Created">
          <ExactMoment at={company.created_at} />
        </Fact>
        <Fact name="ID">
          <Mono value={company.id} what="ID" />
        </Fact>
      </Facts>
    </Panel>
  );
}
