import { Button, Group, Progress, Text } from "@mantine/core";

import { FormError } from "#app/console/ui/form-error.tsx";

import type { ImportState } from "./use-import.ts";

/** The progress of reading, checking or adding, with a way to resume after an error. */
export function ImportProgress({
  state,
  onResume,
  onCancel,
}: {
  state: ImportState;
  onResume: () => void;
  onCancel: () => void;
}) {
  const { stage, done, total, error, fileName } = state;
  const amount = `${done.toLocaleString("en")} of ${total.toLocaleString("en")} addresses`;
  const label = {
    reading: `Reading ${fileName}`,
    checking: `Checking ${amount}`,
    adding: `Importing ${amount}`,
  }[stage === "reading" || stage === "adding" ? stage : "checking"];
  return (
    <>
      <Text role="status">{error ? `Stopped after ${amount}.` : `${label}…`}</Text>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label="Import progress"
        color="violet"
      />
      <FormError error={error} />
      <Group gap="xs">
        {error && <Button onClick={onResume}>Continue</Button>}
        {(error ?? stage !== "adding") && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </>
  );
}
