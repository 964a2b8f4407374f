"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { mailboxUrl } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/no-mailboxes.tsx";
import { mailboxOptionsQuery, useCreateMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";

import { NewMailboxForm } from "./new-mailbox-form.tsx";

const LIST = "/console/mailboxes";

export function NewMailbox() {
  const router = useRouter();
  const options = useQuery(mailboxOptionsQuery);
  const creation = useCreateMailbox();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: LIST }]} />
      <PageHeader
        title="Create mailbox"
        description="A new mailbox can receive mail immediately."
        help="mailboxes"
      />
      <Panel>
        <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={10} />}>
          {(options) =>
            options.domains.length === 0 ? (
              <NoVerifiedDomain />
            ) : (
              <NewMailboxForm
                options={options}
                send={creation.mutateAsync}
                aside={
                  <Button
                    component={Link}
                    href={LIST}
                    variant="default"
                    onClick={() => deleteDraft("new-mailbox")}
                  >
                    Cancel
                  </Button>
                }
              />
            )
          }
        </QueryView>
      </Panel>
      {creation.data && (
        <TemporaryPassword
          address={creation.data.id}
          password={creation.data.temporary_password}
          onStored={() => router.replace(mailboxUrl(creation.data.id))}
        />
      )}
    </>
  );
}
