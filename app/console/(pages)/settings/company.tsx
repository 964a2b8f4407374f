"use client";

import { Button, Stack, Switch, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

/** What the company is called, and how its incoming mail is treated. */
export function Company({ settings }: { settings: CompanySettings }) {
  return (
    <Stack gap="md">
      <Panel title="Company">
        <NameForm name={settings.name} />
      </Panel>
      <Panel title="Incoming mail">
        <Greylisting isOn={settings.greylisting} />
      </Panel>
    </Stack>
  );
}

function NameForm({ name }: { name: string }) {
  const change = useChangeSettings();
  const problem = problemOfField(change.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const name = textOf(new FormData(event.currentTarget), "name");
    change.mutate({ name }, { onSuccess: () => toast("The company’s name was saved.") });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md" maw={400}>
        <TextInput
          name="name"
          label="Name"
          description="Your colleagues see it here, and in emails from Posthouse."
          autoComplete="organization"
          defaultValue={name}
          error={problem}
          required
          withAsterisk={false}
        />
        {problem === null && <FormProblem error={change.error} />}
        <div>
          <Button type="submit" aria-busy={change.isPending}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Greylisting({ isOn }: { isOn: boolean }) {
  const change = useChangeSettings();
  const shown = change.isPending ? (change.variables.greylisting ?? isOn) : isOn;

  function put(greylisting: boolean) {
    const undo = () => change.mutate({ greylisting: !greylisting });
    change.mutate(
      { greylisting },
      { onSuccess: () => toast(`Greylisting is ${greylisting ? "on" : "off"}.`, { undo }) },
    );
  }

  return (
    <Stack gap="sm">
      <Switch
        size="md"
        label="Greylisting"
        description="The first mail of a sender who never wrote to you waits some minutes until their server tries again. Most spam never does. It applies to all of the company’s domains."
        checked={shown}
        onChange={(event) => put(event.currentTarget.checked)}
      />
      <FormProblem error={change.error} />
    </Stack>
  );
}
