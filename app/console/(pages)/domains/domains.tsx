"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { useRights } from "#app/console/rights.ts";
import { useAskedForNew } from "#app/console/ui/use-asked-for-new.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { AddDomainDialog } from "./add-domain-dialog.tsx";
import { DomainList, DomainListSkeleton } from "./domain-list.tsx";
import { NoDomains } from "./no-domains.tsx";
import { domainsQuery } from "./queries.ts";

const HEAD = {
  title: "Domains",
  sentence: "The names that your company sends and receives mail with.",
  help: "dns-records",
} as const;

export function Domains() {
  const place = usePlace();
  const domains = useQuery(domainsQuery(place));
  const mayAdd = useRights().has("domains");
  const [isAdding, adding] = useDisclosure();
  useAskedForNew(mayAdd, adding.open);

  const isEmpty = domains.data?.data.length === 0 && !place.after && !place.before;
  const add = mayAdd && <Button onClick={adding.open}>Add domain</Button>;
  return (
    <>
      <PageHeader {...HEAD} action={!isEmpty && domains.data && add} />
      <QueryView query={domains} what="the domains" skeleton={<DomainListSkeleton />}>
        {(page) =>
          isEmpty ? (
            <NoDomains add={add} />
          ) : (
            <>
              <DomainList domains={page.data} />
              <PagesOfList place={place} page={page} isFormer={domains.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
      <AddDomainDialog isOpen={isAdding} onClose={adding.close} />
    </>
  );
}

/** Until the address is known: the list's place in it is part of the page. */
export function DomainsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DomainListSkeleton />
    </>
  );
}
