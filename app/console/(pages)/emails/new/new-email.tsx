"use client";

import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { emailChoicesQuery } from "#app/console/(pages)/emails/queries.ts";
import { publishedTemplatesQuery } from "#app/console/(pages)/templates/queries.ts";
import { meQuery } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ComposeForm } from "./compose-form.tsx";

export function NewEmail() {
  const choices = useQuery(emailChoicesQuery);
  const templates = useQuery(publishedTemplatesQuery);
  const { data: me } = useQuery(meQuery);
  const templateId = useSearchParams().get("template") ?? "";
  return (
    <>
      <Breadcrumbs trail={[{ label: "Emails", href: "/console/emails" }]} />
      <PageHeader
        title="Compose email"
        description="Send an email now or schedule it, then track its delivery."
      />
      <QueryView query={choices} noun="your domains" skeleton={<ComposeFormSkeleton />}>
        {({ domains }) =>
          domains.length === 0 ? (
            <NoDomain />
          ) : (
            me && (
              <QueryView query={templates} noun="your templates" skeleton={<ComposeFormSkeleton />}>
                {(templates) => (
                  <ComposeForm
                    domains={domains}
                    ownAddress={me.email}
                    templates={templates}
                    templateId={templates.some(({ id }) => id === templateId) ? templateId : ""}
                  />
                )}
              </QueryView>
            )
          )
        }
      </QueryView>
    </>
  );
}

function NoDomain() {
  return (
    <EmptyState title="Create a domain first">
      <Text>
        You need a verified domain to send emails.{" "}
        <Anchor component={Link} underline="always" href="/console/domains?new">
          Create a domain
        </Anchor>{" "}
        and publish its DNS records, then come back here.
      </Text>
    </EmptyState>
  );
}

function ComposeFormSkeleton() {
  return (
    <Panel>
      <Skeleton height={520} />
    </Panel>
  );
}
