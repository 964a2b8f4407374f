"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { usePrivileges } from "#app/console/privileges.ts";
import { useOpenOnNewParam } from "#app/console/ui/use-open-on-new-param.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { CreateDomainDialog } from "./create-domain-dialog.tsx";
import { DomainList, DomainListSkeleton } from "./domain-list.tsx";
import { NoDomains } from "./no-domains.tsx";
import { domainsQuery } from "./queries.ts";

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
  useOpenOnNewParam(mayCreate, dialog.open);

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
