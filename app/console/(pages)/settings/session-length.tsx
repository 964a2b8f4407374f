"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { Button, Stack, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const HOURS_MAX = 336;

export function SessionLength({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const problem = fieldError(change.error, "session_hours_max", "Hours");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const hours = Number(formText(new FormData(event.currentTarget), "hours"));
    change.mutate(
      { session_hours_max: hours },
      { onSuccess: () => toast(`Sessions now last ${pluralize(hours, "hour")}`) },
    );
  }

  return (
    <Panel title="Session length">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={400}>
          <TextInput
            name="hours"
            label="Hours"
            description={`Admins have to sign in again after this time: 1 to ${HOURS_MAX} hours (14 days). Older sessions end when you save.`}
            type="number"
            min={1}
            max={HOURS_MAX}
            step={1}
            defaultValue={settings.session_hours_max}
            error={problem}
            required
            withAsterisk={false}
          />
          {problem === null && <FormError error={change.error} />}
          <div>
            <Button type="submit" aria-busy={change.isPending}>
              Save session length
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
