"use client";

import { Group, TextInput } from "@mantine/core";

import { type GroupDetail, useUpdateGroup } from "#app/console/(pages)/groups/queries.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";

export function GroupNameForm({ group }: { group: GroupDetail }) {
  const update = useUpdateGroup(group.id);
  const form = useForm({
    initialValues: { name: group.name },
    labels: { name: "Name" },
    draft: `group-name-${group.id}`,
    send: update.mutateAsync,
  });

  return (
    <Panel title="Name">
      <Form
        form={form}
        maxWidth={560}
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>Save name</SubmitButton>
            <SavedStatus form={form} />
          </Group>
        }
      >
        <TextInput
          {...form.field("name")}
          label={undefined}
          aria-label="Name"
          description="Shown next to the address. Optional."
          maxLength={160}
          autoComplete="off"
        />
      </Form>
    </Panel>
  );
}
