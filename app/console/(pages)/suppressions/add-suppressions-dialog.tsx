"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";

import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { type StatusTone, Status } from "#app/console/ui/status.tsx";

import classes from "./suppressions.module.css";
import { type AddResult, ADDRESSES_PER_REQUEST, useAddSuppressions } from "./queries.ts";
import { splitAddresses } from "./suppression-labels.ts";

export function AddSuppressionsDialog({
  isOpen,
  onClose,
}: {
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Add suppressions">
      <AddSuppressionsForm onClose={onClose} />
    </Modal>
  );
}

/** Adds pasted addresses, then shows the result for each. */
function AddSuppressionsForm({ onClose }: { onClose: () => void }) {
  const addition = useAddSuppressions();
  const form = useForm({
    initialValues: { addresses: "" },
    labels: { addresses: "Addresses" },
    checks: { addresses: (text) => entriesError(splitAddresses(text)) },
    draft: "new-suppressions",
    send: ({ addresses }) => addition.mutateAsync(splitAddresses(addresses)),
  });

  if (addition.data)
    return (
      <AddResults entries={addition.variables} results={addition.data.results} onClose={onClose} />
    );
  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Add suppressions
        </DialogActions>
      }
    >
      <Textarea
        {...form.field("addresses")}
        description="One per line, or separated by commas. Posthouse stops sending emails to them."
        placeholder={"ben@example.com\ncarla@example.net"}
        size="md"
        rows={6}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
    </Form>
  );
}

function entriesError(entries: string[]): string | null {
  if (entries.length === 0) return "Enter at least one address";
  if (entries.length > ADDRESSES_PER_REQUEST)
    return `You can add up to ${formatCount(ADDRESSES_PER_REQUEST)} addresses at once. To add more, import a file`;
  return null;
}

const outcomeLabels: Record<AddResult["outcome"], { label: string; tone: StatusTone }> = {
  added: { label: "Added", tone: "done" },
  already: { label: "Already suppressed", tone: "none" },
  invalid: { label: "Invalid address", tone: "failed" },
};

function AddResults({
  entries,
  results,
  onClose,
}: {
  entries: string[];
  results: AddResult[];
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <Text role="status">{summarize(results)}</Text>
      <ul className={classes.results} tabIndex={0} aria-label="Results">
        {results.map(({ address, outcome }, index) => (
          <li key={index} className={classes.result}>
            <span className={classes.address}>{address ?? entries[index]}</span>
            <Status {...outcomeLabels[outcome]} />
          </li>
        ))}
      </ul>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function summarize(results: AddResult[]): string {
  const count = (outcome: AddResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const invalid = count("invalid");
  return `${count("added")} of ${results.length} added${invalid > 0 ? `, ${invalid} invalid` : ""}.`;
}
