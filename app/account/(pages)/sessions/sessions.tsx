"use client";

import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { sessionsQuery, useEndOthers } from "#app/account/session-queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Browsers } from "./browsers.tsx";
import { MailApps } from "./mail-apps.tsx";

export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const endOthers = useEndOthers();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Browsers and mail apps that are signed in to your mailbox."
        action={
          <Button variant="default" onClick={() => setIsAsking(true)}>
            End all other sessions
          </Button>
        }
      />
      <Stack gap="md">
        <Panel title="Browsers">
          <QueryView query={sessions} noun="your sessions" skeleton={<Skeleton height={80} />}>
            {({ browsers }) => <Browsers browsers={browsers} />}
          </QueryView>
        </Panel>
        <Panel title="Mail apps">
          {sessions.data && <MailApps apps={sessions.data.mail_apps} />}
          {sessions.isPending && <Skeleton height={80} />}
          <Text size="sm" c="dimmed" mt="md">
            An app with a valid password signs in again automatically. To stop it, delete its app
            password or change your password.
          </Text>
        </Panel>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="End all other sessions?"
        confirmLabel="End all other sessions"
        isPending={endOthers.isPending}
        error={endOthers.error}
        onConfirm={() => endOthers.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
      >
        Every other browser has to sign in again. Mail apps are signed out; those with a valid
        password come back automatically.
      </ConfirmDialog>
    </>
  );
}
