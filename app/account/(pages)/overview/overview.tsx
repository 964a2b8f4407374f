"use client";

import { Anchor, Button, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/account/queries.ts";
import { rulesQuery, type Rules } from "#app/account/rule-queries.ts";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { CopyButton } from "#app/console/ui/copy-button.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { awayOf, filtersOf, forwardingOf } from "./rule-words.ts";
import { Storage } from "./storage.tsx";

export function Overview() {
  const me = useQuery(meQuery);
  const rules = useQuery(rulesQuery);
  return (
    <>
      <PageHeader
        title="Overview"
        action={
          <Button component={Link} href="/account/set-up">
            Set up a mail app
          </Button>
        }
      />
      <Stack gap="md">
        <Panel title="Your mailbox">
          <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={150} />}>
            {(me) => (
              <Stack gap="lg">
                <DescriptionList>
                  <DescriptionItem label="Address">
                    {me.address} <CopyButton value={me.address} label="address" />
                  </DescriptionItem>
                  {me.aliases.length > 0 && (
                    <DescriptionItem label="Aliases">{me.aliases.join(", ")}</DescriptionItem>
                  )}
                </DescriptionList>
                <Storage me={me} />
              </Stack>
            )}
          </QueryView>
        </Panel>
        <Panel title="Incoming mail">
          <QueryView query={rules} noun="your rules" skeleton={<Skeleton height={140} />}>
            {(rules) => <ArrivingMail rules={rules} />}
          </QueryView>
        </Panel>
      </Stack>
    </>
  );
}

function ArrivingMail({ rules }: { rules: Rules }) {
  const entries = [
    { title: "Filters", href: "/account/filters", ...filtersOf(rules) },
    { title: "Forwarding", href: "/account/forwarding", ...forwardingOf(rules) },
    { title: "Automatic replies", href: "/account/vacation", ...awayOf(rules) },
  ];
  return (
    <ItemList label="Incoming mail">
      {entries.map(({ title, href, isOn, words }) => (
        <ItemRow
          key={href}
          title={title}
          actions={
            <>
              <Status tone={isOn ? "info" : "none"} label={isOn ? "On" : "Off"} />
              <Anchor component={Link} href={href} size="sm" aria-label={`Change: ${title}`}>
                Change
              </Anchor>
            </>
          }
        >
          {words}
        </ItemRow>
      ))}
    </ItemList>
  );
}
