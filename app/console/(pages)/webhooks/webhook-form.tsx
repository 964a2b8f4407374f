import { Box, Checkbox, Text, TextInput } from "@mantine/core";
import { useId } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { toSentence } from "#app/console/ui/format.ts";
import {
  EVENT_TYPES,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from "#server/universal/event-types.ts";

import type { WebhookFields } from "./queries.ts";
import { EVENT_GROUPS } from "./webhook-labels.tsx";
import classes from "./webhooks.module.css";

type WebhookFormProps = {
  initial: WebhookFields;
  submitLabel: string;
  draft: string;
  send: (fields: WebhookFields) => Promise<unknown>;
  cancelHref?: string;
};

export function WebhookForm({ initial, submitLabel, draft, send, cancelHref }: WebhookFormProps) {
  const form = useForm({
    initialValues: { endpoint: initial.endpoint, events: initial.events },
    labels: { endpoint: "Endpoint", events: "Events" },
    checks: {
      endpoint: required,
      events: (events) => (events.length === 0 ? "Choose at least one event type" : null),
    },
    draft,
    send,
  });

  return (
    <Box maw={760}>
      <Form
        form={form}
        gap="lg"
        submit={submitLabel}
        cancelHref={cancelHref}
        beside={<SavedStatus form={form} />}
      >
        <TextInput
          {...form.field("endpoint")}
          description="A public HTTPS URL on port 443 or 8443."
          placeholder="https://api.northwind.com/webhooks"
          type="url"
          inputMode="url"
          {...VERBATIM}
        />
        <EventTypePicker
          value={form.values.events}
          onChange={(events) => form.set("events", events)}
          error={form.errors["events"] ?? null}
        />
      </Form>
    </Box>
  );
}

type EventTypeSelection = {
  value: WebhookEventType[];
  onChange: (value: WebhookEventType[]) => void;
};

type EventTypePickerProps = EventTypeSelection & { error: string | null };

function EventTypePicker({ value, onChange, error }: EventTypePickerProps) {
  const isAll = value.length === WEBHOOK_EVENT_TYPES.length;
  const errorId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? errorId : undefined}>
      <legend className={classes.legend}>Events</legend>
      <Checkbox
        label="All events"
        checked={isAll}
        indeterminate={value.length > 0 && !isAll}
        onChange={() => onChange(isAll ? [] : WEBHOOK_EVENT_TYPES)}
      />
      {EVENT_GROUPS.map((group) => (
        <EventTypeGroup key={group.name} group={group} value={value} onChange={onChange} />
      ))}
      {error && (
        <Text id={errorId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

type EventTypeGroupProps = EventTypeSelection & { group: (typeof EVENT_GROUPS)[number] };

function EventTypeGroup({ group: { name, types }, value, onChange }: EventTypeGroupProps) {
  const toggle = (type: WebhookEventType) =>
    onChange(
      // Keep the displayed order, whatever the order of clicks.
      WEBHOOK_EVENT_TYPES.filter((option) => value.includes(option) !== (option === type)),
    );
  return (
    <fieldset className={classes.group}>
      <legend className={classes.groupName}>{name}</legend>
      {types.map((type) => (
        <Checkbox
          key={type}
          label={<code className={classes.type}>{type}</code>}
          description={toSentence(EVENT_TYPES[type].webhook.description.replaceAll("`", ""))}
          classNames={{ description: classes.choiceExplanation }}
          checked={value.includes(type)}
          onChange={() => toggle(type)}
        />
      ))}
    </fieldset>
  );
}
