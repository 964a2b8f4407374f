"use client";

import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { emailChoicesQuery } from "#app/console/(pages)/emails/queries.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ComposeForm } from "./compose-form.tsx";

/** Where one writes an email in the browser: a test, most of the time. */
export function NewEmail() {
  const choices = useQuery(emailChoicesQuery);
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <Breadcrumbs trail={[{ label: "Emails", href: "/console/emails" }]} />
      <PageHeader
        title="Write an email"
        sentence="It goes out in your name, at once or when you say, and its page shows what happens to it."
      />
      <QueryView query={choices} what="your domains" skeleton={<FormSkeleton />}>
        {({ domains }) =>
          domains.length === 0 ? (
            <NoDomain />
          ) : (
            me && <ComposeForm domains={domains} ownAddress={me.email} />
          )
        }
      </QueryView>
    </>
  );
}

function NoDomain() {
  return (
    <EmptyList title="You need a domain first">
      <Text c="dimmed">
        Emails are sent from a domain of yours.{" "}
        <Anchor component={Link} underline="always" href="/console/domains?new">
          Add one under Domains
        </Anchor>
        ; once its records are found, you can write from it here.
      </Text>
    </EmptyList>
  );
}

function FormSkeleton() {
  return (
    <Panel>
      <Skeleton height={520} />
    </Panel>
  );
}
