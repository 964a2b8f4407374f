"use client";

import { Checkbox, Group, Text, TextInput } from "@mantine/core";
import { type ReactNode, useId } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import type { EventType, WebhookFields } from "./queries.ts";
import classes from "./webhooks.module.css";

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

type EventTypeSelection = { value: EventType[]; onChange: (value: EventType[]) => void };

export function EventTypePicker({
  value,
  onChange,
  error,
}: EventTypeSelection & { error: string | null }) {
  const isAll = value.length === EVENT_TYPES.length;
  const errorId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? errorId : undefined}>
      <legend className={classes.legend}>Events</legend>
      <Checkbox
        label="All events"
        checked={isAll}
        indeterminate={value.length > 0 && !isAll}
        onChange={() => onChange(isAll ? [] : EVENT_TYPES)}
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

function EventTypeGroup({
  group: { name, types },
  value,
  onChange,
}: EventTypeSelection & { group: (typeof EVENT_GROUPS)[number] }) {
  const toggle = (type: EventType) =>
    onChange(
      // Keep the displayed order, whatever the order of clicks.
      EVENT_TYPES.filter((option) => value.includes(option) !== (option === type)),
    );
  return (
    <fieldset className={classes.group}>
      <legend className={classes.groupName}>{name}</legend>
      {(Object.entries(types) as [EventType, string][]).map(([type, explanation]) => (
        <Checkbox
          key={type}
          label={<code className={classes.type}>{type}</code>}
          description={explanation}
          classNames={{ description: classes.choiceExplanation }}
          checked={value.includes(type)}
          onChange={() => toggle(type)}
        />
      ))}
    </fieldset>
  );
}

type TypeGroup = { name: string; types: Partial<Record<EventType, string>> };

export const EVENT_GROUPS: TypeGroup[] = [
  {
    name: "Delivery",
    types: {
      "email.sent": "Email accepted and queued for delivery",
      "email.delivered": "A recipient’s mail server accepted the email",
      "email.delivery_delayed": "A recipient’s mail server deferred the email; Posthouse retries",
      "email.bounced": "The email couldn’t be delivered to a recipient",
      "email.failed": "The email couldn’t be sent",
      "email.scheduled": "Email accepted and scheduled for later",
      "email.suppressed": "A recipient is on the suppression list and was skipped",
      "email.complained": "A recipient marked the email as spam",
    },
  },
  {
    name: "Engagement",
    types: {
      "email.opened": "A recipient opened the email (tracking image loaded)",
      "email.clicked": "A recipient clicked a tracked link",
      "email.unsubscribed": "A recipient unsubscribed and was added to the suppression list",
    },
  },
  {
    name: "Receiving",
    types: {
      "email.received": "An inbound address received an email",
      "email.replied": "Someone replied to an email; automatic replies don’t count",
    },
  },
  {
    name: "Domains",
    types: {
      "domain.created": "A domain was created through the API",
      "domain.updated": "A domain’s status or settings changed",
      "domain.deleted": "A domain was deleted through the API",
    },
  },
];

export const EVENT_TYPES = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types)) as EventType[];

/** "All events", "email.sent", or "3 of 16 events". */
export function eventTypeSummary(events: EventType[]): string {
  if (events.length === EVENT_TYPES.length) return "All events";
  return events.length === 1 ? events[0]! : `${events.length} of ${EVENT_TYPES.length} events`;
}
