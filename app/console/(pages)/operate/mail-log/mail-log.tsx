"use client";

import { Button, Tabs } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { useTab } from "#app/console/ui/tabs.tsx";

import { filtersUrl } from "./filters-url.ts";
import { IncomingMail } from "./incoming.tsx";
import { incomingList } from "./mail-log-columns.tsx";
import { MailLogListSkeleton } from "./mail-log-pages.tsx";
import { OutgoingMail } from "./outgoing.tsx";
import { MAIL_LOG } from "./queries.ts";
import { useLogFilters } from "./use-mail-log-filters.ts";

const TITLE = "Mail log";
const DESCRIPTIONS = {
  incoming: "Replies of this server to mail servers and mail apps in the last seven days.",
  outgoing: "Delivery attempts for outgoing mail, with the reply of the receiving server.",
};

export function MailLog() {
  const tab = useTab(DESCRIPTIONS);
  const shared = useLogFilters();
  return (
    <>
      <PageHeader
        title={TITLE}
        help="tracing"
        description={DESCRIPTIONS[tab]}
        action={<RefreshMailLog />}
      />
      <Tabs
        value={tab}
        onChange={(next) =>
          replaceSearch(filtersUrl({ ...shared, tab: next === "outgoing" ? next : "" }))
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="incoming">Incoming</Tabs.Tab>
          <Tabs.Tab value="outgoing">Outgoing</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="incoming">
          <IncomingMail />
        </Tabs.Panel>
        <Tabs.Panel value="outgoing">
          <OutgoingMail />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function RefreshMailLog() {
  const queryClient = useQueryClient();
  const isBusy = useIsFetching({ queryKey: MAIL_LOG }) > 0;
  return (
    <Button
      variant="default"
      aria-busy={isBusy}
      onClick={() => void queryClient.invalidateQueries({ queryKey: MAIL_LOG })}
    >
      Refresh
    </Button>
  );
}

export function MailLogSkeleton() {
  return (
    <>
      <PageHeader title={TITLE} help="tracing" description={DESCRIPTIONS.incoming} />
      <MailLogListSkeleton layout={incomingList(() => {})} />
    </>
  );
}
