"use client";

import { Button, Stack, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const HOURS_MAX = 336;

/** After how many hours everybody signs in again. */
export function SessionLength({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const problem = problemOfField(change.error, "session_hours_max", "Hours");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const hours = Number(textOf(new FormData(event.currentTarget), "hours"));
    change.mutate(
      { session_hours_max: hours },
      { onSuccess: () => toast(`Sessions last ${hours === 1 ? "an hour" : `${hours} hours`}.`) },
    );
  }

  return (
    <Panel title="Session length">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={400}>
          <TextInput
            name="hours"
            label="Hours"
            description={`Everybody signs in again after so many hours: 1 to ${HOURS_MAX}, which are 14 days. Sessions that are older end when you save.`}
            type="number"
            min={1}
            max={HOURS_MAX}
            step={1}
            defaultValue={settings.session_hours_max}
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
    </Panel>
  );
}
