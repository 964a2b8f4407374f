"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { useOpenOnParam } from "#app/console/ui/use-open-on-param.ts";

import { CreateDomainDialog } from "./create-domain-dialog.tsx";
import { DomainList, DomainListSkeleton } from "./domain-list.tsx";
import classes from "./domains.module.css";
import { domainsQuery } from "./queries.ts";

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

export function Domains() {
  const place = usePageCursor();
  const domains = useQuery(domainsQuery(place));
  const mayCreate = usePrivileges().has("domains");
  const [isOpen, dialog] = useDisclosure();
  useOpenOnParam(["new", ""], mayCreate, dialog.open);

  const isEmpty = domains.data?.data.length === 0 && !place.after && !place.before;
  const create = mayCreate && <Button onClick={dialog.open}>Create domain</Button>;
  return (
    <>
      <PageHeader {...HEADER} action={!isEmpty && domains.data && create} />
      <QueryView query={domains} noun="the domains" skeleton={<DomainListSkeleton />}>
        {(page) =>
          isEmpty ? (
            <NoDomains create={create} />
          ) : (
            <>
              <DomainList domains={page.data} />
              <Pagination cursor={place} page={page} isPlaceholder={domains.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
      <CreateDomainDialog isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function DomainsSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DomainListSkeleton />
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
