"use client";

import { Button, NativeSelect, Skeleton, Text, TextInput } from "@mantine/core";
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
import { RichText, useTexts } from "#app/console/ui/texts.tsx";
import { APP_PASSWORD_SCOPES } from "#server/universal/app-password-scopes.ts";

export function AppPasswords() {
  const text = useTexts();
  const list = useQuery(appPasswordsQuery);
  const { data: me } = useQuery(mailboxUserQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const isAllowed = me?.allows.appPasswords ?? true;
  const button = isAllowed && (
    <Button onClick={() => setIsCreating(true)}>{text("appPasswords.create")}</Button>
  );
  return (
    <>
      <PageHeader
        title={text("appPasswords")}
        description={text("appPasswords.text")}
        action={list.data && list.data.data.length > 0 && button}
      />
      <Panel>
        {!isAllowed && (
          <Text c="dimmed" mb="md">
            {text(
              me?.acceptsPassword === false
                ? "appPasswords.forbidden.sso"
                : "appPasswords.forbidden",
            )}
          </Text>
        )}
        <QueryView
          query={list}
          noun={text("noun.appPasswords")}
          skeleton={<Skeleton height={120} />}
        >
          {({ data }) =>
            data.length > 0 ? (
              <AppPasswordList passwords={data} />
            ) : (
              <EmptyState title={text("appPasswords.none")}>
                <Text>{text("appPasswords.none.text")}</Text>
                {button}
              </EmptyState>
            )
          }
        </QueryView>
      </Panel>
      <Modal
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        title={text("appPasswords.create")}
      >
        <NewForm
          onMade={(made) => {
            setIsCreating(false);
            setSecret(made);
          }}
        />
      </Modal>
      {secret !== null && (
        <SecretDialog
          title={text("appPasswords.secret")}
          secret={secret}
          fileName="app-password.txt"
          onStored={() => setSecret(null)}
        >
          {text("appPasswords.secret.text")}
        </SecretDialog>
      )}
    </>
  );
}

function NewForm({ onMade }: { onMade: (secret: string) => void }) {
  const text = useTexts();
  const { data: me } = useQuery(mailboxUserQuery);
  const create = useCreateAppPassword();
  const identity = useIdentityCheck(text("appPasswords.create"));
  const form = useForm({
    initialValues: { name: "", scope: APP_PASSWORD_SCOPES[0] },
    labels: { name: text("name"), scope: text("scope") },
    checks: { name: required },
    draft: "app-password",
    send: (values) => identity.run((shown) => create.run({ ...values, ...shown })),
    onDone: ({ secret }) => onMade(secret),
  });

  return (
    <>
      <Form
        form={form}
        actions={<SubmitButton form={form}>{text("appPasswords.create")}</SubmitButton>}
      >
        <TextInput
          {...form.field("name")}
          description={text("appPasswords.name.hint")}
          placeholder={text("appPasswords.name.example")}
          autoComplete="off"
          data-autofocus
        />
        {me?.allows.calendar && (
          <NativeSelect
            {...form.field("scope")}
            size="md"
            data={APP_PASSWORD_SCOPES.map((value) => ({ value, label: text(`scope.${value}`) }))}
          />
        )}
      </Form>
      {identity.dialog}
    </>
  );
}

function AppPasswordList({ passwords }: { passwords: OwnAppPassword[] }) {
  const text = useTexts();
  const remove = useDeleteAppPassword();
  return (
    <ItemList label={text("appPasswords")}>
      {passwords.map((password) => (
        <ItemRow
          key={password.id}
          title={password.name}
          actions={
            <ConfirmedButton
              label={text("appPasswords.revoke")}
              name={text("appPasswords.revoke.name", { name: password.name })}
              title={text("appPasswords.revoke.title", { name: password.name })}
              confirmLabel={text("appPasswords.revoke.confirm")}
              onConfirm={() => remove.run(password.id)}
            >
              {text("appPasswords.revoke.text")}
            </ConfirmedButton>
          }
        >
          <div>
            <AppPasswordLastUse password={password} />
          </div>
          <div>
            <RichText
              id="appPasswords.created"
              values={{ time: <RelativeTime at={password.createdAt} /> }}
            />
          </div>
        </ItemRow>
      ))}
    </ItemList>
  );
}
