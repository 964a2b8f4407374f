"use client";

import { Button, Menu, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import { domainStatus, nextAction } from "./domain-labels.ts";
import classes from "./domains.module.css";
import {
  DOMAIN_SORTS,
  type DomainRow,
  domainsQuery,
  useCheckDomain,
  useCreateDomain,
} from "./queries.ts";

const SETUP_STEPS = [
  ["Create the domain.", "All you need is its name."],
  ["Verify ownership.", "Add one TXT record to your DNS. Posthouse then checks it."],
  ["Publish the mail records.", "Copy them, download a zone file, or print the instructions."],
] as const;

const HEADER = {
  title: "Domains",
  sentence: "Domains that your company sends from and receives at.",
  help: "dns-records",
} as const;

const SKELETON_ROWS = 5;

export function Domains() {
  const place = usePageCursor();
  const params = useListParams(DOMAIN_SORTS);
  const domains = useQuery(domainsQuery(place, params.sort));
  const mayCreate = usePrivileges().has("domains");
  const [isOpen, dialog] = useDisclosure();
  useOpenOnParam(["new", ""], mayCreate, dialog.open);
  const check = useCheckDomain();
  const layout = domainList(mayCreate ? check.start : null);

  const isEmpty = isEmptyList(domains, place, false);
  const create = mayCreate && <Button onClick={dialog.open}>Create domain</Button>;
  return (
    <>
      <PageHeader {...HEADER} action={!isEmpty && domains.data && create} />
      {!isEmpty && !isForbidden(domains) && (
        <FilterBar>
          <ListTools layout={layout} params={params} />
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={domains}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={<NoDomains create={create} />}
      />
      <CreateDomainDialog isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function DomainsSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={domainList(null)} rows={SKELETON_ROWS} />
    </>
  );
}

function NoDomains({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Send from your own domain">
      <Text c="dimmed">
        Create a domain to send emails from addresses such as hello@northwind.com and to create
        mailboxes. DNS records verify that you own the domain and let other mail servers
        authenticate your emails.
      </Text>
      <ol className={classes.steps}>
        {SETUP_STEPS.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {create ? (
        <div>{create}</div>
      ) : (
        <Text>
          You need the Domains privilege to create a domain. Ask an owner of your company.
        </Text>
      )}
    </EmptyState>
  );
}

/** @param onCheck checks the DNS records of a domain now; null without the privilege */
export const domainList = (
  onCheck: ((domain: DomainRow) => void) | null,
): ListLayout<DomainRow> => ({
  noun: "domains",
  label: "Domains",
  standardSort: "-created",
  className: classes.list,
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 6fr)",
      sort: "name",
      cell: ({ id, name }) => <ListRowLink href={`/console/domains/${id}`}>{name}</ListRowLink>,
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "140px",
      cell: (domain) => <Status {...domainStatus(domain)} />,
    },
    {
      area: "mail",
      header: "Mail",
      kind: "text",
      width: "180px",
      isMuted: true,
      isOptional: true,
      cell: mailUse,
    },
    {
      area: "todo",
      header: "Next step",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: (domain) => nextAction(domain) ?? <span className={classes.nothing}>None</span>,
    },
    {
      area: "added",
      header: "Created",
      kind: "moment",
      width: "124px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ name }) => name,
      (domain) => (
        <>
          {onCheck && <Menu.Item onClick={() => onCheck(domain)}>Check records now</Menu.Item>}
          <LinkItem href={`/console/emails?domain=${domain.id}`} needs="api_controls">
            View emails
          </LinkItem>
          <CopyItem value={domain.name}>Copy name</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"name menu" auto "status status" auto "todo todo" auto / minmax(0, 1fr) auto`,
});

function mailUse({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sending and receiving";
  if (sends) return "Sending";
  return receives ? "Receiving" : "Not ready";
}

export function CreateDomainDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create domain">
      <CreateDomainForm onClose={onClose} />
    </Modal>
  );
}

function CreateDomainForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const creation = useCreateDomain();
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Domain name" },
    checks: { name: required },
    draft: "new-domain",
    send: ({ name }) => creation.mutateAsync(name),
    onDone: ({ id }) => router.push(`/console/domains/${id}`),
    leavesPage: true,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Create domain
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("name")}
        placeholder="northwind.com"
        description="The part after the @. A subdomain such as mail.northwind.com keeps its sending reputation separate."
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
    </Form>
  );
}
