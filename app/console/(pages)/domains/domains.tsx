"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import { CreateDomainDialog } from "./create-domain-dialog.tsx";
import { domainList } from "./domain-columns.tsx";
import classes from "./domains.module.css";
import { DOMAIN_SORTS, domainsQuery, useCheckDomain } from "./queries.ts";

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
