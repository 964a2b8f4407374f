"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { TextInput } from "@mantine/core";

import { ChangeBar, Form } from "#app/console/ui/form/form.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const HOURS_MAX = 336;

export function SessionLength({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { sessionHoursMax: String(settings.sessionHoursMax) },
    labels: { sessionHoursMax: "Hours" },
    checks: { sessionHoursMax: required },
    draft: "session-length",
    send: ({ sessionHoursMax: hours }) => change.mutateAsync({ sessionHoursMax: Number(hours) }),
    onDone: (_, { sessionHoursMax: hours }) =>
      toast(`Sessions now last ${pluralize(Number(hours), "hour")}`),
  });

  return (
    <Panel title="Session length">
      <Form
        form={form}
        maxWidth={640}
        actions={
          <ChangeBar
            form={form}
            changes={
              form.isDirty
                ? [{ name: "sessionHoursMax", text: sessionText(form.values, settings.admins) }]
                : []
            }
          />
        }
      >
        <TextInput
          {...form.field("sessionHoursMax")}
          description={`Admins have to sign in again after this time: 1 to ${HOURS_MAX} hours (14 days). Older sessions end when you save. Only an owner can choose a longer time. Sessions that aren’t used end earlier, after 12 hours by default.`}
          type="number"
          min={1}
          max={HOURS_MAX}
          step={1}
          maw={400}
        />
      </Form>
    </Panel>
  );
}

function sessionText({ sessionHoursMax: hours }: { sessionHoursMax: string }, admins: number) {
  if (Number(hours) < 1) return "Change the session length";
  const who = admins === 1 ? "the only admin" : pluralize(admins, "admin");
  return `Sign out ${who} ${pluralize(Number(hours), "hour")} after they sign in`;
}
