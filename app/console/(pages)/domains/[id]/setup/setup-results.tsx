import { Button, Group, Stack, Text } from "@mantine/core";

import type { SetupResult } from "#app/console/(pages)/domains/queries.ts";
import { pluralize, typographic } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./planned-changes.module.css";

const OUTCOMES = {
  published: { tone: "done", label: "Published" },
  failed: { tone: "failed", label: "Failed" },
  skipped: { tone: "none", label: "Not changed" },
} as const;

export function SetupResults({
  results,
  onRetry,
  onClose,
}: {
  results: SetupResult[];
  onRetry: () => void;
  onClose: () => void;
}) {
  const count = (outcome: SetupResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const hasFailed = count("failed") > 0;
  return (
    <Stack gap="md">
      <Text role="status">
        {hasFailed
          ? `Published ${count("published")} of ${pluralize(results.length, "record")}. Try again to publish the rest.`
          : `Published ${pluralize(count("published"), "record")}. Posthouse is checking them now.`}
      </Text>
      <ul className={classes.changes}>
        {results.map(({ key, type, name, outcome, error }) => (
          <li key={key} className={classes.change}>
            <Status {...OUTCOMES[outcome]} />
            <span className={classes.place}>
              {type} {name}
            </span>
            {error !== null && <span className={classes.value}>{typographic(error)}</span>}
          </li>
        ))}
      </ul>
      <Group justify="flex-end" gap="xs">
        {hasFailed && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  );
}
