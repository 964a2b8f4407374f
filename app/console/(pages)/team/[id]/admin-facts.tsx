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

export function AdminFacts({ person }: { person: AdminDetail }) {
  return (
    <Panel title="Facts">
      <Facts>
        <Fact name="Name">
          <AdminName person={person} />
        </Fact>
        <Fact name="Address">
          <Mono value={person.email} what="address" />
          {!person.is_address_confirmed && (
            <Text size="sm" c="dimmed">
              Not confirmed: they joined by a link that was passed on by hand. They confirm it with
              “Forgot your password” on the sign-in page.
            </Text>
          )}
        </Fact>
        <Fact name="Second factor">
          {person.has_second_factor ? (
            <Status meaning="done" word="On" />
          ) : (
            <Status meaning="none" word="Off" />
          )}
        </Fact>
        <Fact name="Last seen">
          {person.last_seen_at ? <RelativeMoment at={person.last_seen_at} /> : "Not signed in"}
        </Fact>
        <Fact name="Sessions">{person.sessions === 0 ? "None" : person.sessions}</Fact>
        <Fact name="Joined">
          <ExactMoment at={person.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function AdminName({ person }: { person: AdminDetail }) {
  const { isOwner } = useRights();
  const [isOpen, setIsOpen] = useState(false);
  const update = useUpdateAdmin(person.id);
  if (!isOpen)
    return (
      <Group gap="xs">
        <span>{person.name || "None"}</span>
        {(!person.is_owner || isOwner) && (
          <Button size="compact-xs" variant="default" onClick={() => setIsOpen(true)}>
            Change name
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
          setIsOpen(false);
          toast("The name is changed", { undo: () => update.mutate({ name: person.name }) });
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
          defaultValue={person.name}
          autoComplete="off"
          autoFocus
          error={problem}
        />
        {!problem && <FormProblem error={update.error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" data-loading={update.isPending || undefined}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={() => setIsOpen(false)}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
