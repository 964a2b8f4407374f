"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { mailboxUrl } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/no-mailboxes.tsx";
import { mailboxOptionsQuery, useCreateMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { NewMailboxForm, type SharedFields } from "./new-mailbox-form.tsx";

const LIST = "/console/mailboxes";

export function NewMailbox() {
  const router = useRouter();
  const options = useQuery(mailboxOptionsQuery);
  const creation = useCreateMailbox();
  const [shared, setShared] = useState<SharedFields | null>(null);
  const [created, setCreated] = useState(0);

  function createAnother() {
    creation.reset();
    setCreated(created + 1);
  }

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
          {({ mainDomain, ...options }) =>
            mainDomain === null ? (
              <NoVerifiedDomain />
            ) : (
              <NewMailboxForm
                key={created}
                options={{ ...options, mainDomain }}
                start={shared}
                send={creation.mutateAsync}
                onDone={setShared}
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
        <Created
          answer={creation.data}
          sentTo={creation.variables.instructionsTo ?? ""}
          onOpen={() => router.replace(mailboxUrl(creation.data.id))}
          onCreateAnother={createAnother}
        />
      )}
    </>
  );
}

type Next = { onOpen: () => void; onCreateAnother: () => void };

function Created({
  answer: { id: address, temporaryPassword: password },
  sentTo,
  onOpen,
  onCreateAnother,
}: {
  answer: { id: string; temporaryPassword: string | null };
  sentTo: string;
} & Next) {
  if (password !== null)
    return (
      <TemporaryPassword
        address={address}
        password={password}
        onStored={onOpen}
        onCreateAnother={onCreateAnother}
      />
    );
  return (
    <Modal opened onClose={onOpen} title={`${address} created`} size={560}>
      <Stack gap="md">
        <Text>
          We’re emailing instructions to <strong>{sentTo}</strong>, with a link to choose a
          password. The link works once and expires after 7 days. If it gets lost, reset the
          mailbox’s password.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCreateAnother}>
            Create another
          </Button>
          <Button onClick={onOpen}>Open mailbox</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
