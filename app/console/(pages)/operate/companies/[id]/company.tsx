"use client";

import { Anchor, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { planName } from "#app/console/(pages)/operate/companies/companies.tsx";
import { COMPANY_STATES } from "#app/console/(pages)/operate/companies/company-states.ts";
import {
  type CompanyDetail,
  companyQuery,
  useInviteOwner,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { formatRecipients, formatUsage } from "#app/console/(pages)/operate/plan-limits.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Modal, SecretDialog } from "#app/console/ui/dialog.tsx";
import { isEmail, required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form, SubmitButton } from "#app/console/ui/form/form.tsx";
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

export function CompanyDetails({ id }: { id: string }) {
  const company = useQuery(companyQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: "/console/operate/companies" }]} />
      <QueryView query={company} noun="this company" skeleton={<CompanySkeleton />} titleOrder={1}>
        {(company) => (
          <>
            <PageHeader
              documentTitle={`${company.name} · Companies`}
              title={company.name}
              description={<Status {...COMPANY_STATES[company.state]} />}
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

export function CompanySkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={28} width={260} />
      <Skeleton height={200} />
      <Skeleton height={260} />
    </Stack>
  );
}

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

/** The owners, and a form to invite another one, such as when no owner can sign in anymore. */
export function CompanyOwners({ company }: { company: CompanyDetail }) {
  const invitation = useInviteOwner(company.id);
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Email address" },
    checks: { email: isEmail },
    draft: `owner-${company.id}`,
    send: invitation.mutateAsync,
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
      {invitation.data && (
        <SecretDialog
          title="Invitation sent"
          secret={invitation.data.link}
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

export function InvoiceDialog({
  company,
  isOpen,
  onClose,
}: {
  company: CompanyDetail;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Mark invoice as overdue">
      <InvoiceForm company={company} onClose={onClose} />
    </Modal>
  );
}

function InvoiceForm({ company, onClose }: { company: CompanyDetail; onClose: () => void }) {
  const update = useUpdateCompany(company.id);
  const form = useForm({
    initialValues: { number: "", paymentUrl: "" },
    labels: { number: "Invoice number", paymentUrl: "Payment URL" },
    checks: { number: required, paymentUrl: required },
    draft: null,
    send: (overdueInvoice) => update.mutateAsync({ overdueInvoice }),
    within: "overdueInvoice",
    onDone: onClose,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose} isDangerous>
          Mark as overdue
        </DialogActions>
      }
    >
      <Text>
        API requests from {company.name} will fail with an error that includes the invoice number
        and the payment URL.
      </Text>
      <TextInput {...form.field("number")} autoComplete="off" data-autofocus />
      <TextInput
        {...form.field("paymentUrl")}
        placeholder="https://"
        type="url"
        autoComplete="off"
      />
    </Form>
  );
}
