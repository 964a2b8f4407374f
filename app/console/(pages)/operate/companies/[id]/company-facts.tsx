import { Anchor } from "@mantine/core";
import Link from "next/link";

import { planName } from "#app/console/(pages)/operate/companies/company-columns.tsx";
import type { CompanyDetail } from "#app/console/(pages)/operate/companies/queries.ts";
import { formatUsage, formatRecipients } from "#app/console/(pages)/operate/plan-limits.ts";
import { formatCount, formatMegabytes, pluralize } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/copyable-value.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function CompanyFacts({ company }: { company: CompanyDetail }) {
  const { figures } = company;
  const mail = new URLSearchParams({ kind: "company", subject: company.id }).toString();
  return (
    <Panel title="Usage">
      <DescriptionList>
        <DescriptionItem label="Plan">{planName(company)}</DescriptionItem>
        <DescriptionItem label="This month">
          {formatRecipients(company.month_recipients, figures.monthly_allowance)},{" "}
          {formatCount(company.hour_recipients)} in the last hour
        </DescriptionItem>
        <DescriptionItem label="Domains">
          {formatUsage(company.domains, figures.domains_max)}
        </DescriptionItem>
        <DescriptionItem label="Mailboxes">
          {formatUsage(company.mailboxes, figures.mailboxes_max)}
          {figures.quota_mb_max !== null && `, up to ${formatMegabytes(figures.quota_mb_max)} each`}
        </DescriptionItem>
        <DescriptionItem label="API keys">{formatCount(company.api_keys)}</DescriptionItem>
        <DescriptionItem label="Admins">
          {formatCount(company.admins)} ({pluralize(company.sessions, "active session")})
        </DescriptionItem>
        <DescriptionItem label="Scheduled emails">
          {formatCount(company.scheduled_emails)}
        </DescriptionItem>
        <DescriptionItem label="Queue">
          <Anchor component={Link} href={`/console/operate/queue?${mail}`}>
            View queued mail
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Created">
          <ExactTime at={company.created_at} />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={company.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
