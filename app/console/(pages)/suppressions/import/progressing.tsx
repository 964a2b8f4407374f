import { Button, Group, Progress, Text } from "@mantine/core";

import { FormProblem } from "#app/console/ui/form-problem.tsx";

import type { ImportState } from "./use-import.ts";

/** How far reading, trying or adding is, and how to go on when it has stopped. */
export function Progressing({
  state,
  onGoOn,
  onCancel,
}: {
  state: ImportState;
  onGoOn: () => void;
  onCancel: () => void;
}) {
  const { stage, done, total, error, fileName } = state;
  const amount = `${done.toLocaleString("en")} of ${total.toLocaleString("en")} addresses`;
  const words = {
    reading: `Reading ${fileName}`,
    checking: `Looking at ${amount}`,
    adding: `Suppressing ${amount}`,
  }[stage === "reading" || stage === "adding" ? stage : "checking"];
  return (
    <>
      <Text role="status">{error ? `Stopped after ${amount}.` : `${words}…`}</Text>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label="Progress of the import"
        color="violet"
      />
      <FormProblem error={error} />
      <Group gap="xs">
        {error && <Button onClick={onGoOn}>Go on</Button>}
        {(error ?? stage !== "adding") && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </>
  );
}
