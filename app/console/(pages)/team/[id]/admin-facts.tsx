"use client";

import { Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { type AdminDetail, useUpdateAdmin } from "#app/console/(pages)/team/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

export function AdminFacts({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Name">
          <AdminName admin={admin} />
        </DescriptionItem>
        <DescriptionItem label="Email address">
          <CopyableValue value={admin.email} label="address" />
          {!admin.isAddressConfirmed && (
            <Text size="sm" c="dimmed">
              Unconfirmed: they joined with a copied link. They can confirm it by resetting their
              password on the sign-in page.
            </Text>
          )}
        </DescriptionItem>
        <DescriptionItem label="Second factor">
          {admin.hasSecondFactor ? (
            <Status tone="done" label="On" />
          ) : (
            <Status tone="none" label="Off" />
          )}
        </DescriptionItem>
        <DescriptionItem label="Last seen">
          {admin.lastSeenAt ? <RelativeTime at={admin.lastSeenAt} /> : "Never"}
        </DescriptionItem>
        <DescriptionItem label="Sessions">
          {admin.sessions === 0 ? "None" : admin.sessions}
        </DescriptionItem>
        <DescriptionItem label="Joined">
          <ExactTime at={admin.createdAt} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function AdminName({ admin }: { admin: AdminDetail }) {
  const { isOwner } = usePrivileges();
  const [isEditing, setIsEditing] = useState(false);
  if (isEditing) return <AdminNameForm admin={admin} onClose={() => setIsEditing(false)} />;
  return (
    <Group gap="xs">
      <span>{admin.name || "None"}</span>
      {(!admin.isOwner || isOwner) && (
        <Button size="compact-xs" variant="default" onClick={() => setIsEditing(true)}>
          Edit name
        </Button>
      )}
    </Group>
  );
}

function AdminNameForm({ admin, onClose }: { admin: AdminDetail; onClose: () => void }) {
  const update = useUpdateAdmin(admin.id);
  const rename = useAction({
    call: (name: string) => update.mutateAsync({ name }),
    success: "Name saved",
    undo: () => update.mutateAsync({ name: admin.name }),
  });
  const form = useForm({
    initialValues: { name: admin.name },
    labels: { name: "Name" },
    draft: null,
    send: ({ name }) => rename.run(name),
    onDone: onClose,
  });
  return (
    <Form
      form={form}
      gap="xs"
      actions={
        <Group gap="xs">
          <SubmitButton form={form} size="xs">
            Save name
          </SubmitButton>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      }
    >
      <TextInput
        {...form.field("name")}
        label={undefined}
        aria-label="Name"
        size="sm"
        autoComplete="off"
        autoFocus
      />
    </Form>
  );
}
