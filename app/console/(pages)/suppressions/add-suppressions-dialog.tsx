import { Box, Button, Group, Stack, Text, Textarea } from "@mantine/core";

import type { AnswerOf } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";

import { ADDRESSES_PER_REQUEST, splitEntries } from "./labels.ts";

export const AddSuppressionsDialog = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Add suppressions">
    <AddSuppressionsForm onClose={onClose} />
  </Modal>
);

/** Adds pasted addresses, then shows the result for each. */
function AddSuppressionsForm({ onClose }: { onClose: () => void }) {
  const addition = useChange("suppressions.addAddresses", { invalidates: ["suppressions"] });
  const form = useForm({
    initialValues: { addresses: "" },
    labels: { addresses: "Addresses" },
    checks: { addresses: (text) => entriesError(splitEntries(text)) },
    draft: "new-suppressions",
    send: ({ addresses }) => addition.run({ body: { addresses: splitEntries(addresses) } }),
  });

  if (addition.answer)
    return (
      <AddResults
        entries={addition.variables!.body.addresses}
        results={addition.answer.results}
        onClose={onClose}
      />
    );
  return (
    <Form form={form} submit="Add suppressions" onClose={onClose}>
      <Textarea
        {...form.field("addresses")}
        description="One per line, or separated by commas. Posthouse stops sending emails to them."
        placeholder={"ben@example.com\ncarla@example.net"}
        size="md"
        rows={6}
        {...VERBATIM}
        data-autofocus
      />
    </Form>
  );
}

type AddResult = AnswerOf<"suppressions.addAddresses">["results"][number];

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

type AddResultsProps = { entries: string[]; results: AddResult[]; onClose: () => void };

const AddResults = ({ entries, results, onClose }: AddResultsProps) => (
  <Stack gap="md">
    <Text role="status">{summarize(results)}</Text>
    <Box mah={320} tabIndex={0} role="group" aria-label="Results" style={{ overflowY: "auto" }}>
      <ItemList label="Addresses">
        {results.map(({ address, outcome }, index) => (
          <ItemRow
            key={index}
            title={address ?? entries[index]}
            actions={<Status {...outcomeLabels[outcome]} />}
          />
        ))}
      </ItemList>
    </Box>
    <Group justify="flex-end">
      <Button onClick={onClose} data-autofocus>
        Done
      </Button>
    </Group>
  </Stack>
);

function summarize(results: AddResult[]): string {
  const count = (outcome: AddResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const invalid = count("invalid");
  return `${count("added")} of ${results.length} added${invalid > 0 ? `, ${invalid} invalid` : ""}.`;
}
