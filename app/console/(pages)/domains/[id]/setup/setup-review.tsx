import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";

import {
  type DomainDetail,
  publishSetup,
  type SetupAccess,
  type SetupPlan,
  type SetupResult,
} from "#app/console/(pages)/domains/queries.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { useAction } from "#app/console/ui/actions.tsx";

import { PlannedChanges } from "./planned-changes.tsx";

/** The exact changes, before anything is written. */
export function SetupReview({
  domain,
  access,
  plan: { changes, digest, zone },
  onBack,
  onDone,
}: {
  domain: DomainDetail;
  access: SetupAccess;
  plan: SetupPlan;
  onBack: () => void;
  onDone: (results: SetupResult[]) => void;
}) {
  const [confirmed, setConfirmed] = useState<string[]>([]);
  const publishing = useAction({
    call: () => publishSetup(domain.id, { ...access, digest, confirmed }),
    onDone: ({ results }) => onDone(results),
  });
  const isIn = (action: string) => changes.filter((change) => change.action === action);
  const replaced = isIn("replace");
  const optional = replaced.filter((change) => change.needsConfirmation);
  const written = [...isIn("create"), ...replaced].filter(
    ({ needsConfirmation, key }) => !needsConfirmation || confirmed.includes(key),
  );
  const toggle = (key: string) =>
    setConfirmed((keys) =>
      keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key],
    );
  const publish = () => void publishing.run().catch(() => undefined);
  return (
    <Stack gap="md">
      <Text>
        {written.length === 0
          ? `Nothing to change in ${zone}.`
          : `Posthouse will make these changes in ${zone}. Other records stay as they are.`}
      </Text>
      <PlannedChanges title="Create" changes={isIn("create")} />
      <PlannedChanges
        title="Replace"
        changes={replaced.filter((change) => !change.needsConfirmation)}
      />
      {optional.length > 0 && (
        <PlannedChanges title="Replace only if you confirm" changes={optional}>
          {({ key, type, name }) => (
            <Checkbox
              label={
                type === "MX"
                  ? `Deliver mail to ${name} to this server from now on`
                  : `Replace the ${type} record of ${name}`
              }
              checked={confirmed.includes(key)}
              onChange={() => toggle(key)}
            />
          )}
        </PlannedChanges>
      )}
      <PlannedChanges
        title="Blocked by a CNAME record or other records with the same name"
        changes={isIn("blocked")}
      />
      {isIn("keep").length > 0 && (
        <Text size="sm" c="dimmed">
          {pluralize(isIn("keep").length, "record")} already published.
        </Text>
      )}
      <FormError error={publishing.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button
          disabled={written.length === 0}
          aria-busy={publishing.isPending}
          onClick={() => !publishing.isPending && publish()}
        >
          {publishing.isPending ? "Publishing…" : `Publish ${pluralize(written.length, "record")}`}
        </Button>
      </Group>
    </Stack>
  );
}
