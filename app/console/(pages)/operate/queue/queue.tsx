"use client";

import { Button, Stack, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { useListParams } from "#app/console/ui/list-params.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import { QueueDepth } from "./queue-depth.tsx";
import { HoldDialog } from "./hold-dialog.tsx";
import { HoldList } from "./hold-list.tsx";
import { QUEUE_SORTS, queueQuery, type Subject } from "./queries.ts";
import { QueueList, QueueListSkeleton } from "./queue-list.tsx";
import { QueueSubject } from "./queue-subject.tsx";

const HEADER = {
  title: "Queue",
  help: "tracing" as const,
  sentence:
    "Outgoing mail: emails sent through the API, and mail from mailboxes, groups, and rules.",
};

export function Queue() {
  const params = useListParams(QUEUE_SORTS);
  const queue = useQuery(queueQuery(params.sort));
  const subject = useSubject();
  const tab = useSearchParams().get("by") === "company" ? "company" : "destination";
  const [isHolding, dialog] = useDisclosure();
  if (subject) return <QueueSubject key={subject.subject} subject={subject} queue={queue.data} />;
  const hold = (
    <Button variant="default" onClick={dialog.open}>
      Hold mail
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={queue.data && hold} />
      <QueryView query={queue} noun="the queue" skeleton={<QueueListSkeleton />}>
        {(queue) => (
          <Stack gap="md">
            <QueueDepth depth={queue.depth} />
            <HoldList holds={queue.holds} />
            <Tabs
              value={tab}
              onChange={(next) => replaceSearch(next === "company" ? "?by=company" : "?")}
              keepMounted={false}
            >
              <Tabs.List mb="md">
                <Tabs.Tab value="destination">By destination</Tabs.Tab>
                <Tabs.Tab value="company">By company</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="destination">
                <QueueList
                  {...{ params, kind: "destination", holds: queue.holds }}
                  rows={queue.destinations}
                />
              </Tabs.Panel>
              <Tabs.Panel value="company">
                <QueueList
                  {...{ params, kind: "company", holds: queue.holds }}
                  rows={queue.companies}
                />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )}
      </QueryView>
      <HoldDialog isOpen={isHolding} onClose={dialog.close} />
    </>
  );
}

function useSubject(): Subject | null {
  const params = useSearchParams();
  const [kind, subject] = [params.get("kind"), params.get("subject")];
  if (!subject || (kind !== "destination" && kind !== "company")) return null;
  return { kind, subject };
}

export function QueueSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <QueueListSkeleton />
    </>
  );
}
