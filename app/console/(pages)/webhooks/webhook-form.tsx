"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { EventTypePicker } from "./event-type-picker.tsx";
import type { WebhookFields } from "./queries.ts";
import classes from "./webhook-form.module.css";

/** @param aside shown next to the submit button */
export function WebhookForm({
  initial,
  submitLabel,
  isPending,
  error,
  onSubmit,
  aside,
}: {
  initial: WebhookFields;
  submitLabel: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (fields: WebhookFields) => void;
  aside?: ReactNode;
}) {
  const [events, setEvents] = useState(initial.events);
  const errors = {
    endpoint: fieldError(error, "endpoint", "Endpoint"),
    events: fieldError(error, "events", "Events"),
  };

  // The button is at the bottom of a long form: scroll to an invalid endpoint at the top.
  const endpoint = useRef<HTMLInputElement>(null);
  const hasEndpointError = errors.endpoint !== null;
  useEffect(() => {
    if (hasEndpointError) endpoint.current?.focus();
  }, [hasEndpointError, error]);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit({ endpoint: formText(new FormData(event.currentTarget), "endpoint").trim(), events });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate className={classes.form}>
      <Stack gap="lg">
        <TextInput
          ref={endpoint}
          name="endpoint"
          label="Endpoint"
          description="A public HTTPS URL on port 443 or 8443."
          placeholder="https://api.northwind.com/webhooks"
          defaultValue={initial.endpoint}
          error={errors.endpoint}
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <EventTypePicker value={events} onChange={setEvents} error={errors.events} />
        {!errors.endpoint && !errors.events && <FormError error={error} />}
        <Group gap="xs">
          <Button type="submit" aria-busy={isPending}>
            {submitLabel}
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}
