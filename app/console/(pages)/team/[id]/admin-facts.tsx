"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { type AdminDetail, useUpdateAdmin } from "#app/console/(pages)/team/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

export function AdminFacts({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Name">
          <AdminName admin={admin} />
        </Fact>
        <Fact name="Email address">
          <Mono value={admin.email} what="address" />
          {!admin.is_address_confirmed && (
            <Text size="sm" c="dimmed">
              Unconfirmed: they joined with a copied link. They can confirm it by resetting their
              password on the sign-in page.
            </Text>
          )}
        </Fact>
        <Fact name="Second factor">
          {admin.has_second_factor ? (
            <Status meaning="done" word="On" />
          ) : (
            <Status meaning="none" word="Off" />
          )}
        </Fact>
        <Fact name="Last seen">
          {admin.last_seen_at ? <RelativeMoment at={admin.last_seen_at} /> : "Never"}
        </Fact>
        <Fact name="Sessions">{admin.sessions === 0 ? "None" : admin.sessions}</Fact>
        <Fact name="Joined">
          <ExactMoment at={admin.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function AdminName({ admin }: { admin: AdminDetail }) {
  const { isOwner } = useRights();
  const [isEditing, setIsEditing] = useState(false);
  const update = useUpdateAdmin(admin.id);
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
    const name = textOf(new FormData(event.currentTarget), "name");
    update.mutate(
      { name },
      {
        onSuccess() {
          setIsEditing(false);
          toast("Name saved", { undo: () => update.mutate({ name: admin.name }) });
        },
      },
    );
  }

  const problem = problemOfField(update.error, "name", "Name");
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
        {!problem && <FormProblem error={update.error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" data-loading={update.isPending || undefined}>
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
