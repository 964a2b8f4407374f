"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { useRights } from "#app/console/rights.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, type Place, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Filters } from "./filters.tsx";
import { MailboxList, MailboxListSkeleton } from "./mailbox-list.tsx";
import { NoMailboxes } from "./no-mailboxes.tsx";
import { type MailboxFilters, mailboxesQuery, mailboxOptionsQuery } from "./queries.ts";

const HEAD = {
  title: "Mailboxes",
  sentence: "The people of your company and where their mail is kept.",
};

export function Mailboxes() {
  const place = usePlace();
  const filters = useFilters();
  const mailboxes = useQuery(mailboxesQuery(place, filters));
  const { data: options } = useQuery(mailboxOptionsQuery);

  const isFiltered = Object.keys(filters).length > 0;
  const isNone = isAtTop(place) && mailboxes.data?.data.length === 0;
  const isEmpty = isNone && !isFiltered;
  // Also where filters are what is wrong, but not over a refusal to show anything.
  const hasFilters = !isEmpty && (isFiltered || !mailboxes.isLoadingError);
  return (
    <>
      <PageHeader {...HEAD} action={!isEmpty && <Create />} />
      {hasFilters && <Filters filters={filters} domains={options?.domains ?? []} />}
      <QueryView query={mailboxes} what="the mailboxes" skeleton={<MailboxListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NoMailboxes create={<Create />} domains={options?.domains} />;
          return (
            <>
              {isNone ? <NothingFound /> : <MailboxList mailboxes={page.data} />}
              <PagesOfList
                place={place}
                page={page}
                isFormer={mailboxes.isPlaceholderData}
                words={{ newer: "Previous", older: "Next" }}
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

const isAtTop = (place: Place) => !place.after && !place.before;

/** For who may. */
function Create() {
  if (!useRights().has("create_users")) return null;
  return (
    <Button component={Link} href="/console/mailboxes/new">
      Create mailbox
    </Button>
  );
}

function NothingFound() {
  return (
    <Text py="lg">
      No mailbox fits.{" "}
      <Anchor component={Link} href="/console/mailboxes" underline="always">
        Show all
      </Anchor>
    </Text>
  );
}

function useFilters(): MailboxFilters {
  const asked = useSearchParams();
  const [search, domain, status] = ["search", "domain", "status"].map((name) => asked.get(name));
  return {
    ...(search && { search }),
    ...(domain && { domain }),
    ...((status === "active" || status === "suspended") && { status }),
  };
}

/** Until the address is known: the list's place in it is part of the page. */
export function MailboxesSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <MailboxListSkeleton />
    </>
  );
}
