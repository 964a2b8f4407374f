"use client";

import { Button, Group, Progress, Stack, Text } from "@mantine/core";

import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { useWarnBeforeUnload } from "#app/console/ui/form/use-form.ts";

import { ChooseFile } from "./choose-file.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { ImportResult } from "./import-result.tsx";
import { type ImportState, useSuppressionImport } from "./use-import.ts";

const LIST = "/console/suppressions";

export function ImportSuppressions() {
  const { state, lines, ...actions } = useSuppressionImport();
  useWarnBeforeUnload(state.stage === "adding");
  return (
    <>
      <Breadcrumbs trail={[{ label: "Suppressions", href: LIST }]} />
      <PageHeader
        title="Import suppressions"
        description="Import addresses from a file. You can review the result before anything is saved."
      />
      <Panel>
        <Stack gap="md">
          {state.stage === "choosing" && <ChooseFile error={state.error} onFile={actions.start} />}
          {(state.stage === "reading" ||
            state.stage === "checking" ||
            state.stage === "adding") && (
            <ImportProgress state={state} onResume={actions.resume} onCancel={actions.startOver} />
          )}
          {state.stage === "checked" && (
            <ImportPreview
              state={state}
              lines={lines()}
              onAdd={actions.add}
              onCancel={actions.startOver}
            />
          )}
          {state.stage === "done" && (
            <ImportResult state={state} lines={lines()} onAgain={actions.startOver} />
          )}
        </Stack>
      </Panel>
    </>
  );
}

/** The progress of reading, checking or adding, with a way to resume after an error. */
function ImportProgress({
  state,
  onResume,
  onCancel,
}: {
  state: ImportState;
  onResume: () => void;
  onCancel: () => void;
}) {
  const { stage, done, total, error, fileName } = state;
  const amount = `${formatCount(done)} of ${formatCount(total)} addresses`;
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
