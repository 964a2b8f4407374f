"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { TextInput } from "@mantine/core";

import { ChangeBar } from "#app/console/ui/change-bar.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const HOURS_MAX = 336;

export function SessionLength({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { session_hours_max: String(settings.session_hours_max) },
    labels: { session_hours_max: "Hours" },
    checks: { session_hours_max: required },
    draft: "session-length",
    send: ({ session_hours_max: hours }) =>
      change.mutateAsync({ session_hours_max: Number(hours) }),
    onDone: (_, { session_hours_max: hours }) =>
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
                ? [{ name: "session_hours_max", text: sessionText(form.values, settings.admins) }]
                : []
            }
          />
        }
      >
        <TextInput
          {...form.field("session_hours_max")}
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

function sessionText({ session_hours_max: hours }: { session_hours_max: string }, admins: number) {
  if (Number(hours) < 1) return "Change the session length";
  const who = admins === 1 ? "the only admin" : pluralize(admins, "admin");
  return `Sign out ${who} ${pluralize(Number(hours), "hour")} after they sign in`;
}
