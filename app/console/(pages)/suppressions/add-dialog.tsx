"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { type Meaning, Status } from "#app/console/ui/status.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import classes from "./add-dialog.module.css";
import { type Added, ADDRESSES_PER_CALL, useAdd } from "./queries.ts";
import { entriesOf } from "./suppression-words.ts";

export function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Suppress addresses">
      <Add onClose={onClose} />
    </Modal>
  );
}

/** Takes what was pasted, and then says what became of each. */
function Add({ onClose }: { onClose: () => void }) {
  const addition = useAdd();
  const [problem, setProblem] = useState<string | null>(null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const entries = entriesOf(textOf(new FormData(event.currentTarget), "addresses"));
    const wrong = problemOf(entries);
    setProblem(wrong);
    if (wrong === null && !addition.isPending) addition.mutate(entries);
  }

  if (addition.data)
    return <Results given={addition.variables} results={addition.data.results} onClose={onClose} />;
  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <Textarea
          name="addresses"
          label="Addresses"
          description="One a line, or with commas between them. From now on your emails skip them."
          placeholder={"ben@example.com\ncarla@example.net"}
          size="md"
          rows={6}
          error={problem}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
        />
        <FormProblem error={addition.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            data-loading={addition.isPending || undefined}
            aria-busy={addition.isPending}
          >
            Suppress
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function problemOf(entries: string[]): string | null {
  if (entries.length === 0) return "Enter at least one address";
  if (entries.length > ADDRESSES_PER_CALL)
    return "These are too many to paste: put them into a file and import it";
  return null;
}

const outcomes: Record<Added["outcome"], { word: string; meaning: Meaning }> = {
  added: { word: "Suppressed", meaning: "done" },
  already: { word: "Was there already", meaning: "none" },
  invalid: { word: "No email address", meaning: "failed" },
};

function Results({
  given,
  results,
  onClose,
}: {
  given: string[];
  results: Added[];
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <Text role="status">{summaryOf(results)}</Text>
      <ul className={classes.results} tabIndex={0} aria-label="What became of each">
        {results.map(({ address, outcome }, index) => (
          <li key={index} className={classes.result}>
            <span className={classes.address}>{address ?? given[index]}</span>
            <Status {...outcomes[outcome]} />
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

function summaryOf(results: Added[]): string {
  const count = (outcome: Added["outcome"]) =>
    results.filter((each) => each.outcome === outcome).length;
  const invalid = count("invalid");
  return `${count("added")} of ${results.length} suppressed${invalid > 0 ? `, ${invalid} not readable` : ""}.`;
}
