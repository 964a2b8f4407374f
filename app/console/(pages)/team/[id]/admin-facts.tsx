"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { type AdminDetail, useUpdateAdmin } from "#app/console/(pages)/team/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/copyable-value.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { useAction } from "#app/console/ui/use-action.ts";

export function AdminFacts({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Name">
          <AdminName admin={admin} />
        </DescriptionItem>
        <DescriptionItem label="Email address">
          <CopyableValue value={admin.email} label="address" />
          {!admin.is_address_confirmed && (
            <Text size="sm" c="dimmed">
              Unconfirmed: they joined with a copied link. They can confirm it by resetting their
              password on the sign-in page.
            </Text>
          )}
        </DescriptionItem>
        <DescriptionItem label="Second factor">
          {admin.has_second_factor ? (
            <Status tone="done" label="On" />
          ) : (
            <Status tone="none" label="Off" />
          )}
        </DescriptionItem>
        <DescriptionItem label="Last seen">
          {admin.last_seen_at ? <RelativeTime at={admin.last_seen_at} /> : "Never"}
        </DescriptionItem>
        <DescriptionItem label="Sessions">
          {admin.sessions === 0 ? "None" : admin.sessions}
        </DescriptionItem>
        <DescriptionItem label="Joined">
          <ExactTime at={admin.created_at} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function AdminName({ admin }: { admin: AdminDetail }) {
  const { isOwner } = usePrivileges();
  const [isEditing, setIsEditing] = useState(false);
  const update = useUpdateAdmin(admin.id);
  const rename = useAction({
    call: (name: string) => update.mutateAsync({ name }),
    success: "Name saved",
    undo: () => update.mutateAsync({ name: admin.name }),
    onDone: () => setIsEditing(false),
  });
  if (!isEditing)
    return (
      <Group gap="xs">
        <span>{admin.name || "None"}</span>
        {(!admin.is_owner || isOwner) && (
          <Button size="compact-xs" variant="default" onClick={() => setIsEditing(true)}>
            Edit name
          </Button>
        )}
      </Group>
    );

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    rename.run(formText(new FormData(event.currentTarget), "name")).catch(() => {});
  }

  const problem = fieldError(rename.error, "name", "Name");
  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="xs">
        <TextInput
          name="name"
          size="sm"
          aria-label="Name"
          defaultValue={admin.name}
          autoComplete="off"
          autoFocus
          error={problem}
        />
        {!problem && <FormError error={rename.error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" aria-busy={rename.isPending}>
            Save name
          </Button>
          <Button size="xs" variant="default" onClick={() => setIsEditing(false)}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
