"use client";

import { Anchor, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useParams } from "next/navigation";

import {
  COMPANY_STATUSES,
  type CompanyDetail,
  OPERATED,
  planName,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { formatRecipients, formatUsage } from "#app/console/(pages)/operate/plan-limits.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";
import { looksLikeAddress } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, formatMegabytes, pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

import { CompanyAccess, CompanySuspension } from "./company-access.tsx";
import { CompanyPlan } from "./company-plan.tsx";
import classes from "./company.module.css";

const REFRESH_MS = 15_000;

export function CompanyDetails() {
  const { id } = useParams<{ id: string }>();
  const company = useRead("companies.get", { params: { id } }, { refetchInterval: REFRESH_MS });
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: "/console/operate/companies" }]} />
      <QueryView query={company} noun="this company" skeleton={<CompanySkeleton />} titleOrder={1}>
        {(company) => (
          <>
            <PageHeader
              documentTitle={`${company.name} · Companies`}
              title={company.name}
              description={<Status {...COMPANY_STATUSES[company.state]} />}
            />
            <Stack gap="md">
              <CompanyFacts company={company} />
              <CompanyOwners company={company} />
              <CompanyPlan key={company.plan?.id ?? "own"} company={company} />
              <CompanyAccess company={company} />
              <CompanySuspension company={company} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const CompanySkeleton = () => (
  <Stack gap="md">
    <Skeleton height={28} width={260} />
    <Skeleton height={200} />
    <Skeleton height={260} />
  </Stack>
);

function CompanyFacts({ company }: { company: CompanyDetail }) {
  const { figures } = company;
  const mail = new URLSearchParams({ kind: "company", subject: company.id }).toString();
  return (
    <Panel title="Usage">
      <DescriptionList
        items={{
          Plan: planName(company),
          "This month": (
            <>
              {formatRecipients(company.monthRecipients, figures.monthlyAllowance)},{" "}
              {formatCount(company.hourRecipients)} in the last hour
            </>
          ),
          Domains: formatUsage(company.domains, figures.domainsMax),
          Mailboxes: (
            <>
              {formatUsage(company.mailboxes, figures.mailboxesMax)}
              {figures.quotaMbMax !== null && `, up to ${formatMegabytes(figures.quotaMbMax)} each`}
            </>
          ),
          "API keys": formatCount(company.apiKeys),
          Admins: `${formatCount(company.admins)} (${pluralize(company.sessions, "active session")})`,
          "Scheduled emails": formatCount(company.scheduledEmails),
          Queue: (
            <Anchor component={Link} href={`/console/operate/queue?${mail}`}>
              View queued mail
            </Anchor>
          ),
          Created: <ExactTime at={company.createdAt} />,
          ID: <CopyableValue value={company.id} label="ID" />,
        }}
      />
    </Panel>
  );
}

/** The owners, and a form to invite another one, such as when no owner can sign in anymore. */
function CompanyOwners({ company }: { company: CompanyDetail }) {
  const invitation = useChange("companies.inviteOwner", { invalidates: OPERATED });
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Email address" },
    checks: { email: looksLikeAddress },
    draft: `owner-${company.id}`,
    send: (body) => invitation.run({ params: { id: company.id }, body }),
    clearsOnDone: true,
  });

  return (
    <Panel title="Owners">
      <ul className={classes.people}>
        {company.owners.map(({ email, name }) => (
          <li key={email}>
            {name ? `${name}, ` : ""}
            {email}
          </li>
        ))}
        {company.invitedOwners.map(({ email, expiresAt }) => (
          <li key={email}>
            {email} <Status tone="waiting" label="Invited" />{" "}
            <Text component="span" size="sm" c="dimmed">
              expires <RelativeTime at={expiresAt} />
            </Text>
          </li>
        ))}
        {company.owners.length + company.invitedOwners.length === 0 && (
          <li>No owners. Invite one.</li>
        )}
      </ul>
      <Form form={form} gap="xs" maxWidth={480} actions={null}>
        <Group gap="xs" align="flex-end">
          <TextInput {...form.field("email")} type="email" autoComplete="off" flex={1} miw={220} />
          <SubmitButton form={form} variant="default">
            Invite owner
          </SubmitButton>
        </Group>
      </Form>
      {invitation.answer && (
        <SecretDialog
          title="Invitation sent"
          secret={invitation.answer.link}
          fileName="posthouse-invitation.txt"
          onStored={() => invitation.reset()}
        >
          <Text>
            We emailed the owner a link that expires in seven days. If it doesn’t arrive, send them
            this link yourself. Anyone with it can become an owner. You won’t be able to see it
            again, and a new invitation invalidates it.
          </Text>
        </SecretDialog>
      )}
    </Panel>
  );
}
