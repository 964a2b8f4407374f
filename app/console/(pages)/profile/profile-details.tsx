"use client";

import { Button, Stack, Text, TextInput } from "@mantine/core";

import { useSwitchCompany } from "#app/console/session-queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { useUpdateName, type UserProfile } from "./queries.ts";

export function ProfileDetails({ profile }: { profile: UserProfile }) {
  return (
    <Stack gap="md">
      <Panel title="Profile">
        <ProfileNameForm profile={profile} />
      </Panel>
      <Panel title="Companies">
        <ProfileCompanies companies={profile.companies} />
      </Panel>
    </Stack>
  );
}

function ProfileNameForm({ profile }: { profile: UserProfile }) {
  const rename = useUpdateName();
  const form = useForm({
    initialValues: { name: profile.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "profile-name",
    send: ({ name }) => rename.mutateAsync(name),
    onDone: () => toast("Name saved"),
  });

  return (
    <Form
      form={form}
      maxWidth={400}
      actions={
        <div>
          <SubmitButton form={form}>Save name</SubmitButton>
        </div>
      }
    >
      <TextInput
        {...form.field("name")}
        description="Shown to other admins in all your companies."
        autoComplete="name"
        maxLength={200}
      />
      <div>
        <Text size="sm" fw={500}>
          Email address
        </Text>
        <Text style={{ overflowWrap: "anywhere" }}>{profile.email}</Text>
        <Text size="sm" c="dimmed">
          You sign in with this address. It can’t be changed.
        </Text>
      </div>
    </Form>
  );
}

function ProfileCompanies({ companies }: Pick<UserProfile, "companies">) {
  const change = useSwitchCompany();
  return (
    <>
      <ItemList label="Companies">
        {companies.map(({ id, name, isThisOne }) => (
          <ItemRow
            key={id}
            title={name}
            actions={
              isThisOne ? (
                <Status tone="info" label="Current" />
              ) : (
                <Button
                  variant="default"
                  aria-label={`Switch to ${name}`}
                  aria-busy={change.isPending && change.variables === id}
                  onClick={() => change.start(id)}
                >
                  Switch
                </Button>
              )
            }
          />
        ))}
      </ItemList>
    </>
  );
}
