"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { stateOf } from "#app/console/(pages)/mailboxes/mailbox-words.ts";
import { mailboxQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { Aliases } from "./aliases.tsx";
import { DeleteMailbox } from "./delete-mailbox.tsx";
import { HeldNotice } from "./held-notice.tsx";
import { MailboxFacts } from "./mailbox-facts.tsx";
import { MailboxSkeleton } from "./mailbox-skeleton.tsx";
import { ResetPassword } from "./reset-password.tsx";
import { Settings } from "./settings.tsx";
import { Suspension } from "./suspension.tsx";

export function Mailbox({ address }: { address: string }) {
  const mailbox = useQuery(mailboxQuery(address));
  const { isOwner } = useRights();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <QueryView query={mailbox} what="this mailbox" skeleton={<MailboxSkeleton />} titleOrder={1}>
        {(mailbox) => (
          <>
            <PageHeader title={mailbox.id} sentence={<Status {...stateOf(mailbox)} />} />
            <Stack gap="md">
              {mailbox.sending_held && <HeldNotice mayDecide={mailbox.may.reset_password} />}
              <MailboxFacts mailbox={mailbox} />
              <Aliases mailbox={mailbox} />
              {mailbox.may.update && <Settings mailbox={mailbox} />}
              {mailbox.may.reset_password && <ResetPassword mailbox={mailbox} />}
              {mailbox.may.suspend && <Suspension mailbox={mailbox} />}
              {isOwner && <DeleteMailbox mailbox={mailbox} />}
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}
