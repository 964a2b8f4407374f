"use client";

import { Button, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { useSwitchCompany } from "#app/console/session-queries.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { useRename, type You } from "./queries.ts";

/** Name and address, and the companies that one belongs to. */
export function Profile({ you }: { you: You }) {
  return (
    <Stack gap="md">
      <Panel title="Profile">
        <NameForm you={you} />
      </Panel>
      <Panel title="Companies">
        <Companies companies={you.companies} />
      </Panel>
    </Stack>
  );
}

function NameForm({ you }: { you: You }) {
  const rename = useRename();
  const problem = problemOfField(rename.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (rename.isPending) return;
    const name = textOf(new FormData(event.currentTarget), "name");
    rename.mutate(name, { onSuccess: () => toast("Your name was saved.") });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md" maw={400}>
        <TextInput
          name="name"
          label="Name"
          description="As colleagues see it, in each of your companies."
          autoComplete="name"
          defaultValue={you.name}
          maxLength={200}
          error={problem}
          required
          withAsterisk={false}
        />
        <div>
          <Text size="sm" fw={500}>
            Email address
          </Text>
          <Text style={{ overflowWrap: "anywhere" }}>{you.email}</Text>
          <Text size="sm" c="dimmed">
            You sign in with it. It cannot be changed here.
          </Text>
        </div>
        {problem === null && <FormProblem error={rename.error} />}
        <div>
          <Button type="submit" aria-busy={rename.isPending}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Companies({ companies }: Pick<You, "companies">) {
  const change = useSwitchCompany();
  return (
    <>
      <Rows label="Companies">
        {companies.map(({ id, name, is_this_one: isThisOne }) => (
          <Row
            key={id}
            title={name}
            actions={
              isThisOne ? (
                <Status meaning="informing" word="This one" />
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
      </Rows>
      <FormProblem error={change.error} />
    </>
  );
}
