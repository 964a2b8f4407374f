"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { EventChoice } from "./event-choice.tsx";
import type { WebhookFields } from "./queries.ts";
import classes from "./webhook-form.module.css";

/**
 * Endpoint and events of a webhook.
 *
 * @param verb what the button does
 * @param aside what stands beside the button
 */
export function WebhookForm({
  initial,
  verb,
  isPending,
  error,
  onSubmit,
  aside,
}: {
  initial: WebhookFields;
  verb: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (fields: WebhookFields) => void;
  aside?: ReactNode;
}) {
  const [events, setEvents] = useState(initial.events);
  const problems = {
    endpoint: problemOfField(error, "endpoint", "Endpoint"),
    events: problemOfField(error, "events", "Events"),
  };

  // The button is below all types: what is wrong at the top would be out of sight.
  const endpoint = useRef<HTMLInputElement>(null);
  const isOfEndpoint = problems.endpoint !== null;
  useEffect(() => {
    if (isOfEndpoint) endpoint.current?.focus();
  }, [isOfEndpoint, error]);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit({ endpoint: textOf(new FormData(event.currentTarget), "endpoint").trim(), events });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate className={classes.form}>
      <Stack gap="lg">
        <TextInput
          ref={endpoint}
          name="endpoint"
          label="Endpoint"
          description="An https URL that can be reached from the internet, on port 443 or 8443."
          placeholder="https://api.northwind.com/webhooks"
          defaultValue={initial.endpoint}
          error={problems.endpoint}
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <EventChoice value={events} onChange={setEvents} error={problems.events} />
        {!problems.endpoint && !problems.events && <FormProblem error={error} />}
        <Group gap="xs">
          <Button type="submit" loading={isPending}>
            {verb}
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}
