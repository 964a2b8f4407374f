"use client";

import { Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { EventTypePicker } from "./event-type-picker.tsx";
import type { WebhookFields } from "./queries.ts";
import classes from "./webhook-form.module.css";

/** @param aside shown next to the submit button */
export function WebhookForm({
  initial,
  submitLabel,
  draft,
  send,
  aside,
}: {
  initial: WebhookFields;
  submitLabel: string;
  draft: string;
  send: (fields: WebhookFields) => Promise<unknown>;
  aside?: ReactNode;
}) {
  const form = useForm({
    initialValues: { endpoint: initial.endpoint, events: initial.events },
    labels: { endpoint: "Endpoint", events: "Events" },
    checks: {
      endpoint: required,
      events: (events) => (events.length === 0 ? "Choose at least one event type." : null),
    },
    draft,
    send,
  });

  return (
    <div className={classes.form}>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>{submitLabel}</SubmitButton>
            {aside}
            <SavedStatus form={form} />
          </Group>
        }
      >
        <TextInput
          {...form.field("endpoint")}
          description="A public HTTPS URL on port 443 or 8443."
          placeholder="https://api.northwind.com/webhooks"
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <EventTypePicker
          value={form.values.events}
          onChange={(events) => form.set("events", events)}
          error={form.errors["events"] ?? null}
        />
      </Form>
    </div>
  );
}
