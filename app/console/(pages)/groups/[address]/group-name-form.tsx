"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { type GroupDetail, useUpdateGroup } from "#app/console/(pages)/groups/queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function GroupNameForm({ group }: { group: GroupDetail }) {
  const update = useUpdateGroup(group.id);
  const [name, setName] = useState(group.name);
  const problem = fieldError(update.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate({ name: name.trim() }, { onSuccess: (saved) => setName(saved.name) });
  }

  return (
    <Panel title="Name">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="md" maw={560}>
          <TextInput
            name="name"
            aria-label="Name"
            description="Shown next to the address. Optional."
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              if (update.isSuccess) update.reset();
            }}
            error={problem}
            maxLength={160}
            autoComplete="off"
          />
          {!problem && <FormError error={update.error} />}
          <Group gap="xs">
            <Button type="submit" aria-busy={update.isPending}>
              Save name
            </Button>
            <Text role="status">{update.isSuccess && "Saved"}</Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
