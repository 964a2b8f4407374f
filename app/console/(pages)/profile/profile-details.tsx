"use client";

import { Button, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { useSwitchCompany } from "#app/console/session-queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

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
  const problem = fieldError(rename.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (rename.isPending) return;
    const name = formText(new FormData(event.currentTarget), "name");
    rename.mutate(name, { onSuccess: () => toast("Name saved") });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md" maw={400}>
        <TextInput
          name="name"
          label="Name"
          description="Shown to other admins in all your companies."
          autoComplete="name"
          defaultValue={profile.name}
          maxLength={200}
          error={problem}
          required
          withAsterisk={false}
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
        {problem === null && <FormError error={rename.error} />}
        <div>
          <Button type="submit" aria-busy={rename.isPending}>
            Save name
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function ProfileCompanies({ companies }: Pick<UserProfile, "companies">) {
  const change = useSwitchCompany();
  return (
    <>
      <ItemList label="Companies">
        {companies.map(({ id, name, is_this_one: isThisOne }) => (
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
                  onClick={() => change.mutate(id)}
                >
                  Switch
                </Button>
              )
            }
          />
        ))}
      </ItemList>
      <FormError error={change.error} />
    </>
  );
}
