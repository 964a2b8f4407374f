"use client";

import { Button, Skeleton, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  appPasswordsQuery,
  mailboxUserQuery,
  type OwnAppPassword,
  useCreateAppPassword,
  useDeleteAppPassword,
} from "#app/account/queries.ts";
import { useIdentityCheck } from "#app/account/two-factor.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmedButton, Modal, SecretDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { AppPasswordLastUse } from "#app/console/ui/sign-ins.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export function AppPasswords() {
  const list = useQuery(appPasswordsQuery);
  const { data: me } = useQuery(mailboxUserQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const isAllowed = me?.allows.appPasswords ?? true;
  const button = isAllowed && (
    <Button onClick={() => setIsCreating(true)}>Create app password</Button>
  );
  return (
    <>
      <PageHeader
        title="App passwords"
        description="Give each mail app its own password. App passwords only work in mail apps, and you can revoke each one separately."
        action={button}
      />
      <Panel>
        {!isAllowed && (
          <Text c="dimmed" mb="md">
            Your company doesn’t allow app passwords
            {me?.acceptsPassword === false
              ? ", and requires single sign-on. Mail apps can’t sign in to your mailbox."
              : ". Use your mailbox password in mail apps."}
          </Text>
        )}
        <QueryView query={list} noun="your app passwords" skeleton={<Skeleton height={120} />}>
          {({ data }) =>
            data.length > 0 ? (
              <AppPasswordList passwords={data} />
            ) : (
              <EmptyState title="No app passwords yet">
                <Text c="dimmed" maw={440}>
                  Create one for each phone and app. If you lose a device, revoke its password. The
                  others keep working.
                </Text>
                {button}
              </EmptyState>
            )
          }
        </QueryView>
      </Panel>
      <Modal opened={isCreating} onClose={() => setIsCreating(false)} title="Create app password">
        <NewForm
          onMade={(made) => {
            setIsCreating(false);
            setSecret(made);
          }}
        />
      </Modal>
      {secret !== null && (
        <SecretDialog
          title="Your app password"
          secret={secret}
          fileName="app-password.txt"
          onStored={() => setSecret(null)}
        >
          Enter it in your mail app instead of your mailbox password. You won’t be able to see it
          again.
        </SecretDialog>
      )}
    </>
  );
}

function NewForm({ onMade }: { onMade: (secret: string) => void }) {
  const create = useCreateAppPassword();
  const identity = useIdentityCheck("Create app password");
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "app-password",
    send: ({ name }) => identity.run((shown) => create.run({ name, ...shown })),
    onDone: ({ secret }) => onMade(secret),
  });

  return (
    <>
      <Form form={form} actions={<SubmitButton form={form}>Create app password</SubmitButton>}>
        <TextInput
          {...form.field("name")}
          description="Helps you recognize it later."
          placeholder="Thunderbird on my laptop"
          autoComplete="off"
          data-autofocus
        />
      </Form>
      {identity.dialog}
    </>
  );
}

function AppPasswordList({ passwords }: { passwords: OwnAppPassword[] }) {
  const remove = useDeleteAppPassword();
  return (
    <ItemList label="App passwords">
      {passwords.map((password) => (
        <ItemRow
          key={password.id}
          title={password.name}
          actions={
            <ConfirmedButton
              label="Revoke"
              name={`Revoke ${password.name}`}
              title={`Revoke ${password.name}?`}
              confirmLabel="Revoke app password"
              onConfirm={() => remove.run(password.id)}
            >
              The app that uses it is signed out immediately. Your other apps disconnect briefly and
              reconnect automatically.
            </ConfirmedButton>
          }
        >
          <div>
            <AppPasswordLastUse password={password} />
          </div>
          <div>
            Created <RelativeTime at={password.createdAt} />
          </div>
        </ItemRow>
      ))}
    </ItemList>
  );
}
