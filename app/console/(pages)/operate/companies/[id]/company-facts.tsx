import { Anchor } from "@mantine/core";
import Link from "next/link";

import { planName } from "#app/console/(pages)/operate/companies/company-columns.tsx";
import type { CompanyDetail } from "#app/console/(pages)/operate/companies/queries.ts";
import { formatUsage, formatRecipients } from "#app/console/(pages)/operate/plan-limits.ts";
import { formatCount, formatMegabytes, pluralize } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function CompanyFacts({ company }: { company: CompanyDetail }) {
  const { figures } = company;
  const mail = new URLSearchParams({ kind: "company", subject: company.id }).toString();
  return (
    <Panel title="Usage">
      <DescriptionList>
        <DescriptionItem label="Plan">{planName(company)}</DescriptionItem>
        <DescriptionItem label="This month">
          {formatRecipients(company.monthRecipients, figures.monthlyAllowance)},{" "}
          {formatCount(company.hourRecipients)} in the last hour
        </DescriptionItem>
        <DescriptionItem label="Domains">
          {formatUsage(company.domains, figures.domainsMax)}
        </DescriptionItem>
        <DescriptionItem label="Mailboxes">
          {formatUsage(company.mailboxes, figures.mailboxesMax)}
          {figures.quotaMbMax !== null && `, up to ${formatMegabytes(figures.quotaMbMax)} each`}
        </DescriptionItem>
        <DescriptionItem label="API keys">{formatCount(company.apiKeys)}</DescriptionItem>
        <DescriptionItem label="Admins">
          {formatCount(company.admins)} ({pluralize(company.sessions, "active session")})
        </DescriptionItem>
        <DescriptionItem label="Scheduled emails">
          {formatCount(company.scheduledEmails)}
        </DescriptionItem>
        <DescriptionItem label="Queue">
          <Anchor component={Link} href={`/console/operate/queue?${mail}`}>
            View queued mail
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Created">
          <ExactTime at={company.createdAt} />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={company.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
