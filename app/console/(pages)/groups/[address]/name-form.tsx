"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { type GroupDetail, useUpdateGroup } from "#app/console/(pages)/groups/queries.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

export function NameForm({ group }: { group: GroupDetail }) {
  const update = useUpdateGroup(group.id);
  const problem = problemOfField(update.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    update.mutate({ name: textOf(new FormData(event.currentTarget), "name").trim() });
  }

  return (
    <Panel title="Name">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="md" maw={560}>
          <TextInput
            name="name"
            aria-label="Name"
            description="As members read it beside the address. It may be empty."
            defaultValue={group.name}
            error={problem}
            maxLength={160}
            autoComplete="off"
          />
          {!problem && <FormProblem error={update.error} />}
          <Group gap="xs">
            <Button type="submit" loading={update.isPending}>
              Save name
            </Button>
            {update.isSuccess && <Text role="status">Saved</Text>}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
